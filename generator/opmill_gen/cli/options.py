"""Parts that the commands share: options, the location of the inputs, reporting of faults."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from opmill_gen.base.diagnostics import Diagnostic, InputError
from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.base.needs import missing_package
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.onnx.facts import onnx_release as onnx_release

specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder of specs; by default 'specs' here or in the nearest folder above, else those "
    "that opmill was installed with.",
)
families_option = click.option(
    "--families",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="A folder of your own families, in addition to opmill's; may be repeated.",
)
output_option = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to write; by default 'generated' beside the specs, or here if the specs are "
    "those that opmill was installed with.",
)

own_specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of specs to write in; by default 'specs' here or in the nearest folder above, "
    "else a new one here.",
)
domain_option = click.option(
    "--domain", default=MAIN_DOMAIN, show_default=True, help="The operator's domain."
)
any_domain_option = click.option(
    "--domain", help="The operator's domain; needed where several have one of that name."
)
force_option = click.option("--force", is_flag=True, help="Overwrite an existing spec.")


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
)


def print_json(document: dict[str, Any], *, line: bool = False) -> None:
    """Print a document; ``line`` puts it on a line of its own, where more will follow."""
    click.echo(json.dumps(document, indent=None if line else 2))


def print_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table, in a terminal folded to its width, elsewhere with one line for each row."""
    lines = [tuple(titles), *map(tuple, rows)]
    if not sys.stdout.isatty():
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
            click.echo("  ".join(cells).rstrip())
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for title in titles:
        table.add_column(title, overflow="fold")
    for line in lines[1:]:
        table.add_row(*map(Text, line))
    Console().print(table)


def fault_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """A fault as ``--json`` gives it. Lines and columns count from 1; null means the whole file."""
    location = diagnostic.location
    return {
        "file": location.path,
        "line": location.line or None,
        "column": location.column or None,
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
        except ModuleNotFoundError as error:
            message = missing_package(str(click.get_current_context().info_name), error)
            if message is None:
                raise
            _refuse(message, as_json=as_json)
        except BrokenPipeError:
            raise  # whoever read the output has enough; click ends without a message
        except OSError as error:
            prefix = f"{error.filename}: " if error.filename else ""
            _refuse(f"{prefix}{error.strerror or error}; mend that and run again", as_json=as_json)
        except click.ClickException as error:
            if not as_json:
                raise
            _refuse(error.format_message(), as_json=True)

    return wrapped


def _refuse(message: str, *, as_json: bool) -> NoReturn:
    """End a call that cannot be carried out, with the exit code 2."""
    if as_json:
        unknown = {"file": None, "line": None, "column": None}
        print_json({"ok": False, "faults": [{**unknown, "message": message, "suggestion": None}]})
    else:
        click.echo(message, err=True)
    sys.exit(2)


def sources(specs: Path | None, families: tuple[Path, ...] = ()) -> Sources:
    """Sources of a run: the specs given or found, and opmill's own templates.

    Families of your own come before opmill's.
    """
    own = default_sources()
    folder = _announced(specs, _found_specs() or own.specs)
    return Sources(
        folder,
        own.templates,
        (*(folder.resolve() for folder in families), *own.families),
        own.records if folder == own.specs else None,
    )


def own_specs(specs: Path | None) -> Path:
    """The folder of specs to write in: never those that opmill was installed with."""
    return _announced(specs, _found_specs() or Path.cwd() / "specs")


def installed_specs() -> Path:
    """The specs that opmill was installed with, or those of its checkout."""
    return default_sources().specs


def default_output(specs: Path) -> Path:
    """``generated`` beside the specs; in the working folder where they were found nowhere near."""
    near = specs != installed_specs() or Path.cwd().is_relative_to(specs.parent)
    return (specs.parent if near else Path.cwd()) / "generated"


def _announced(given: Path | None, found: Path) -> Path:
    """The specs given, or those found; which ones is printed where they are not in plain sight."""
    if given is not None:
        return given.resolve()
    if found.parent != Path.cwd():
        click.echo(f"specs: {found}", err=True)
    return found


def _found_specs() -> Path | None:
    """The folder ``specs`` of the working folder, or of the nearest one above, that holds specs."""
    working = Path.cwd()
    for folder in (working, *working.parents):
        specs = folder / "specs"
        if any(specs.glob("*/index.yaml")) or any(specs.glob("*/*/*.yaml")):
            return specs
    return None
