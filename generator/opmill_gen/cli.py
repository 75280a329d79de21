"""The command line: ``opmill generate``, ``verify``, ``list``, ``show``, ``diff``, ``import`` and
``new``.

Exit codes: 0 all is well; 1 a check found a difference; 2 the input or the call has faults.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from opmill_gen.artifact import Settings
from opmill_gen.check import Checked, CheckedVersion, check
from opmill_gen.diagnostics import InputError, suggestion
from opmill_gen.literals import paragraphs
from opmill_gen.load import Sources, load
from opmill_gen.model import Option, Parameter
from opmill_gen.names import MAIN_DOMAIN
from opmill_gen.new_version import new_version
from opmill_gen.reading import Faults
from opmill_gen.run import Outcome, check_fresh, checked_input, default_sources, generate
from opmill_gen.show_differences import show_differences

_MAX_DIFF_LINES = 400

_specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The folder of specs; by default the project's own.",
)
_output_option = click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder to make; by default 'generated' beside the specs.",
)

_own_specs_option = click.option(
    "--specs",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of specs to write in; by default the project's own, or 'specs' here.",
)
_domain_option = click.option(
    "--domain", default=MAIN_DOMAIN, show_default=True, help="The operator's domain."
)
_force_option = click.option("--force", is_flag=True, help="Write over a spec that is there.")


def _reported(command: Callable[..., None]) -> Callable[..., None]:
    """Print the faults of the input, all of them, and exit with 2."""

    @wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except InputError as error:
            for diagnostic in error.diagnostics:
                click.echo(str(diagnostic), err=True)
            count = len(error.diagnostics)
            click.echo(f"faults: {count}; nothing was written", err=True)
            sys.exit(2)
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"{place}{error.strerror or error}; mend that and run again", err=True)
            sys.exit(2)

    return wrapped


def _sources(specs: Path | None) -> Sources:
    sources = default_sources()
    if specs is None:
        return sources
    return Sources(specs.resolve(), sources.templates, sources.families)


def _own_specs(specs: Path | None) -> Path:
    """The folder of specs to write in: never one that was installed with the package."""
    if specs is not None:
        return specs.resolve()
    default = default_sources().specs
    return Path.cwd() / "specs" if default.parent.name == "_data" else default


def _default_output(sources: Sources) -> Path:
    """``generated`` beside the specs; in the working folder where the specs are installed ones."""
    if sources.specs.parent.name == "_data":
        return Path.cwd() / "generated"
    return sources.specs.parent / "generated"


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="opmill")
def main() -> None:
    """Mill ONNX operators from specs: packages, tests and documents."""


@main.command("generate")
@click.option("--check", is_flag=True, help="Write nothing; print what differs and exit with 1.")
@_specs_option
@_output_option
@_reported
def generate_command(check: bool, specs: Path | None, output: Path | None) -> None:
    """Make the output folder what the specs and templates say."""
    started = time.perf_counter()
    sources = _sources(specs)
    folder = output if output is not None else _default_output(sources)
    if not check:
        outcome = generate(sources, folder, Settings())
        click.echo(_summary(outcome, "written", time.perf_counter() - started))
        return
    outcome, lines = check_fresh(sources, folder, Settings())
    for line in lines[:_MAX_DIFF_LINES]:
        click.echo(line)
    if len(lines) > _MAX_DIFF_LINES:
        click.echo(f"... and {len(lines) - _MAX_DIFF_LINES} more lines")
    click.echo(_summary(outcome, "stale", time.perf_counter() - started))
    if outcome.difference:
        repair = "make generate" if specs is None and output is None else _repair(specs, output)
        click.echo(f"The output is stale; repair it with: {repair}", err=True)
        sys.exit(1)


def _repair(specs: Path | None, output: Path | None) -> str:
    words = ["opmill generate"]
    words += [f"--specs {specs}"] if specs else []
    words += [f"--output {output}"] if output else []
    return " ".join(words)


def _summary(outcome: Outcome, word: str, seconds: float) -> str:
    difference = outcome.difference
    stale = len(difference.missing) + len(difference.changed)
    removed = "orphaned" if word == "stale" else "deleted"
    return (
        f"operator versions: {outcome.versions}, files: {outcome.files}, {word}: {stale}, "
        f"{removed}: {len(difference.orphans)}, seconds: {seconds:.2f}"
    )


@main.command("verify")
@_specs_option
@_reported
def verify_command(specs: Path | None) -> None:
    """Hold the specs and the index against the installed onnx package."""
    release = _onnx_release("verify")
    from opmill_gen.verify import verify_facts

    faults = Faults()
    loaded = load(_sources(specs), faults)
    check(loaded, faults)
    if faults:
        raise InputError(faults)
    specs_read = [spec for _, spec in loaded.versions]
    indexes = {domain: index for domain, (_, index) in loaded.indexes.items()}
    agreed, compared = verify_facts(specs_read, indexes, faults)
    for fault in sorted(faults):
        click.echo(str(fault), err=True)
    click.echo(f"{agreed} of {compared} operator versions agree with onnx {release}")
    if loaded.unfinished:
        click.echo(f"still to be finished: {len(loaded.unfinished)}; 'generate' names the gaps")
    if faults:
        sys.exit(1)


def _onnx_release(command: str) -> str:
    try:
        import onnx
    except ImportError:
        raise click.ClickException(
            f"{command} needs the onnx package; install it with: pip install 'opmill[generator]'"
        ) from None
    return str(onnx.__version__)


@main.command("import")
@click.argument("operator")
@click.argument("version", required=False)
@_domain_option
@_own_specs_option
@_force_option
@_reported
def import_command(
    operator: str, version: str | None, domain: str, specs: Path | None, force: bool
) -> None:
    """Write the facts of an operator version as a spec; prose, family and examples stay gaps.

    VERSION is the newest where it is not given; 'all' stands for every version.
    """
    _onnx_release("import")
    from opmill_gen.importing import import_specs

    imported = import_specs(_own_specs(specs), operator, version, domain, force=force)
    for path in imported.paths:
        click.echo(path)
    click.echo(f"files: {len(imported.paths)}, gaps: {imported.gaps}; 'generate' names each gap")


@main.command("new")
@click.argument("operator")
@click.argument("version", type=int)
@click.option("--from", "old", type=int, required=True, help="The version to begin with.")
@_domain_option
@_own_specs_option
@_force_option
@_reported
def new_command(
    operator: str, version: int, old: int, domain: str, specs: Path | None, force: bool
) -> None:
    """Begin the spec of a version of your own as a copy of an older one."""
    begun = new_version(_own_specs(specs), operator, version, old, domain, force=force)
    for path in begun.paths:
        click.echo(path)
    click.echo("To be decided:")
    for decision in begun.decisions:
        click.echo(f"  {decision}")


@main.command("list")
@_specs_option
@_reported
def list_command(specs: Path | None) -> None:
    """List the operators that there are specs of, beside the published versions."""
    checked = checked_input(_sources(specs))
    table = Table("operator", "domain", "milled", "published", "family", box=None, pad_edge=False)
    for (domain, operator), versions in _by_operator(checked).items():
        index = checked.indexes.get(domain)
        published = index.operators[operator].versions if index else ()
        table.add_row(
            operator,
            domain,
            ", ".join(str(v.spec.since_version) for v in versions),
            ", ".join(map(str, published)) or "-",
            ", ".join(dict.fromkeys(v.instance.family.name for v in versions)),
        )
    Console().print(table)
    for domain, index in checked.indexes.items():
        milled = sum(v.spec.domain == domain for v in checked.versions)
        total = sum(len(entry.versions) for entry in index.operators.values())
        click.echo(
            f"{domain}: {milled} of {total} versions milled, {len(index.operators)} operators "
            f"published up to opset {index.opset}"
        )


@main.command("show")
@click.argument("operator")
@click.argument("version", type=int, required=False)
@_specs_option
@_reported
def show_command(operator: str, version: int | None, specs: Path | None) -> None:
    """Show one operator version: its signature, types, examples, changes and errata."""
    _show(_chosen(_versions_of(checked_input(_sources(specs)), operator), version))


@main.command("diff")
@click.argument("operator")
@click.argument("old", type=int)
@click.argument("new", type=int)
@click.option("--all", "everything", is_flag=True, help="Print what is the same in both too.")
@_specs_option
@_reported
def diff_command(operator: str, old: int, new: int, everything: bool, specs: Path | None) -> None:
    """Show two versions of an operator side by side."""
    found = _versions_of(checked_input(_sources(specs)), operator)
    left, right = (_chosen(found, number).spec for number in (old, new))
    console = Console(highlight=False)
    show_differences([v.spec for v in found], left, right, console, everything=everything)


def _versions_of(checked: Checked, operator: str) -> list[CheckedVersion]:
    """The versions of an operator, ascending; the error suggests a name like the one given."""
    found = [v for v in checked.versions if v.spec.operator == operator]
    if not found:
        names = sorted({v.spec.operator for v in checked.versions})
        raise click.UsageError(f"there is no operator '{operator}'{suggestion(operator, names)}")
    return found


def _chosen(found: list[CheckedVersion], version: int | None) -> CheckedVersion:
    """The version of that number, the newest one where none is asked for."""
    chosen = [v for v in found if version in (None, v.spec.since_version)]
    if not chosen:
        known = ", ".join(str(v.spec.since_version) for v in found)
        operator = found[0].spec.operator
        raise click.UsageError(f"there is no version {version} of {operator}; there are {known}")
    return chosen[-1]


def _show(version: CheckedVersion) -> None:
    spec = version.spec
    console = Console(highlight=False)
    console.print(f"[bold]{spec.label}[/bold] of {spec.domain}")
    for key in ("support_level", "function", "shape_inference", "deprecated", "determinism"):
        value = getattr(spec, key)
        console.print(f"  {key}: {getattr(value, 'value', value)}")
    console.print()
    width = min(console.width, 100)
    console.print(paragraphs(spec.summary, width), markup=False, soft_wrap=True)
    for title, parameters in (("Inputs", spec.inputs), ("Outputs", spec.outputs)):
        console.print(f"\n[bold]{title}[/bold]")
        for parameter in parameters:
            console.print(f"  {_parameter_text(parameter)}", markup=False)
    if spec.attributes:
        console.print("\n[bold]Attributes[/bold]")
        for attribute in spec.attributes:
            default = "" if attribute.default is None else f" = {attribute.default_value!r}"
            required = " (required)" if attribute.required else ""
            console.print(
                f"  {attribute.name}: {attribute.kind.value}{default}{required}", markup=False
            )
    console.print("\n[bold]Types[/bold]")
    for name, constraint in spec.type_constraints.items():
        console.print(f"  {name}: {', '.join(map(str, constraint.types))}", markup=False)
    console.print(
        f"\nexamples: {len(spec.examples)}, rejects: {len(spec.rejects)}, "
        f"family: {spec.family.name}, file: {version.path}"
    )
    for title, lines in (
        ("Changes", [f"{c.what} (shown by: {c.shown_by})" for c in spec.changes]),
        ("Errata", [f"{e.text.strip()}\n    We: {e.decision.strip()}" for e in spec.errata]),
    ):
        if lines:
            console.print(f"\n[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  - {line}", markup=False, soft_wrap=True)


def _parameter_text(parameter: Parameter) -> str:
    option = "" if parameter.option is Option.SINGLE else f" ({parameter.option.value})"
    return f"{parameter.name}: {parameter.type}{option}"


def _by_operator(checked: Checked) -> dict[tuple[str, str], list[CheckedVersion]]:
    groups: dict[tuple[str, str], list[CheckedVersion]] = {}
    for version in checked.versions:
        groups.setdefault((version.spec.domain, version.spec.operator), []).append(version)
    return groups
