"""What the commands share: options, where the inputs stand, and how faults are told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.load.load import Sources
from opmill_gen.pipeline import default_sources

specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder of specs; by default the project's own.",
)
families_option = click.option(
    "--families",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of families of your own, beside those that opmill has; may be repeated.",
)
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to make; by default 'generated' beside the specs.",
)

own_specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of specs to write in; by default the project's own, or 'specs' here.",
)
domain_option = click.option(
    "--domain", default=MAIN_DOMAIN, show_default=True, help="The operator's domain."
)
any_domain_option = click.option(
    "--domain", help="The operator's domain; needed where several have one of that name."
)
force_option = click.option("--force", is_flag=True, help="Write over a spec that is there.")


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)


def print_json(document: dict[str, Any], *, line: bool = False) -> None:
    """Print a document; ``line`` puts it on a line of its own, where more will follow."""
    click.echo(json.dumps(document, indent=None if line else 2))


def fault_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A fault as ``--json`` gives it. Lines and columns count from 1; null means the whole file."""
    place = diagnostic.location
    return {
        "file": place.path,
        "line": place.line or None,
        "column": place.column or None,
        "message": diagnostic.message,
        "suggestion": diagnostic.suggestion,
    }


def refusal_json(faults: Iterable[Diagnostic]) -> dict[str, Any]:
    """The document of a run that faults ended."""
    return {"ok": False, "faults": [fault_json(fault) for fault in faults]}


def print_faults(faults: tuple[Diagnostic, ...]) -> None:
    """Print faults as ``file:line:column: what; what to write instead``, and how many."""
    for fault in faults:
        click.echo(str(fault), err=True)
    click.echo(f"faults: {len(faults)}; nothing was written", err=True)


def reported(command: Callable[..., None]) -> Callable[..., None]:
    """Print the faults of the input, all of them, and exit with 2."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        as_json = kwargs.get("as_json", False)
        try:
            command(*args, **kwargs)
        except InputError as error:
            if as_json:
                print_json(refusal_json(error.diagnostics))
            else:
                print_faults(error.diagnostics)
            sys.exit(2)
        except BrokenPipeError:
            raise  # whoever read the output has enough; click ends without a message
        except (OSError, click.ClickException) as error:
            if isinstance(error, OSError):
                place = f"{error.filename}: " if error.filename else ""
                text = f"{place}{error.strerror or error}; mend that and run again"
            else:
                text = error.format_message()
            if as_json:
                fault = {"file": None, "line": None, "column": None}
                told = {**fault, "message": text, "suggestion": None}
                print_json({"ok": False, "faults": [told]})
            elif isinstance(error, OSError):
                click.echo(text, err=True)
            else:
                raise
            sys.exit(2)

    return wrapped


def sources(specs: Path | None, families: tuple[Path, ...] = ()) -> Sources:
    """What is read: the project's own specs, or those of another folder; the templates stay.

    Families of one's own come before those that opmill has.
    """
    own = default_sources()
    return Sources(
        own.specs if specs is None else specs.resolve(),
        own.templates,
        (*(folder.resolve() for folder in families), *own.families),
        own.records if specs is None else None,
    )


def own_specs(specs: Path | None) -> Path:
    """The folder of specs to write in: never one that was installed with the package."""
    if specs is not None:
        return specs.resolve()
    default = default_sources().specs
    return Path.cwd() / "specs" if default.parent.name == "_data" else default


def default_output(sources: Sources) -> Path:
    """``generated`` beside the specs; in the working folder where the specs are installed ones."""
    if sources.specs.parent.name == "_data":
        return Path.cwd() / "generated"
    return sources.specs.parent / "generated"
