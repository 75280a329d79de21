"""The commands that write: ``opmill generate``, once or on every change, and ``schema``."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opmill_gen.base.diagnostics import InputError
from opmill_gen.base.progress import shown
from opmill_gen.cli.options import (
    default_output,
    families_option,
    json_option,
    output_option,
    print_faults,
    print_json,
    refusal_json,
    reported,
    sources,
    specs_option,
)
from opmill_gen.cli.package_options import own_package_options, own_settings
from opmill_gen.emit.settings import Settings
from opmill_gen.load.schema_files import SCHEMAS
from opmill_gen.load.sources import Sources
from opmill_gen.write.location import shown as shown_path

if TYPE_CHECKING:
    from opmill_gen.pipeline import Outcome

_MAX_DIFF_LINES = 400
_MAX_NAMED = 10


@click.command("generate")
@click.option("--check", is_flag=True, help="Write nothing; print what differs and exit with 1.")
@click.option(
    "--watch", is_flag=True, help="Keep running; generate again whenever an input changes."
)
@click.option(
    "--manual",
    is_flag=True,
    help="Write only the manual, for Sphinx, with versions side by side; needs --output DIR.",
)
@click.option(
    "--live",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --manual: panels that run the C library as WebAssembly, with the cases of the "
    "corpus in DIR.",
)
@click.option(
    "--corpus",
    is_flag=True,
    help="Write only the corpus of cases, which the C tests read; needs --output DIR.",
)
@specs_option
@families_option
@output_option
@own_package_options
@json_option
@reported
def generate_command(
    check: bool,
    watch: bool,
    manual: bool,
    live: Path | None,
    corpus: bool,
    specs: Path | None,
    families: tuple[Path, ...],
    output: Path | None,
    as_json: bool,
    **own: str | None,
) -> None:
    """Generate the output folder from specs and templates.

    With --package, the folder is a separate project: a Python package of that name and a C library
    with that prefix, which can be installed and linked beside opmill.
    """
    if check and watch:
        raise click.UsageError("--check and --watch exclude each other; give one of them")
    given = replace(sources(specs, families), corpus=live)
    settings = replace(own_settings(given, **own), manual=manual)
    if settings.is_own and output is None:
        raise click.UsageError("--package needs a folder; add --output DIR")
    if live is not None and not manual:
        raise click.UsageError("--live needs --manual; add it")
    if manual and output is None:
        raise click.UsageError("--manual needs a folder; add --output DIR")
    if corpus and (check or watch or manual):
        raise click.UsageError("--corpus excludes --check, --watch and --manual; give it alone")
    if corpus and output is None:
        raise click.UsageError("--corpus needs a folder; add --output DIR")
    folder = output if output is not None else default_output(given.specs)
    if corpus:
        _generate(given, folder, settings, as_json=as_json, corpus=True)
    elif watch:
        _watch(given, folder, settings, as_json=as_json)
    elif check:
        repair = _repair(specs, families, output, own, manual=manual, live=live)
        _check(given, folder, settings, repair, as_json=as_json)
    else:
        _generate(given, folder, settings, as_json=as_json)


def _generate(
    given: Sources,
    folder: Path,
    settings: Settings,
    *,
    as_json: bool,
    line: bool = False,
    corpus: bool = False,
) -> Outcome:
    from opmill_gen.pipeline import generate, generate_corpus

    run = generate_corpus if corpus else generate
    started = time.perf_counter()
    with shown(not as_json) as progress:
        outcome = run(given, folder, settings, progress)
    seconds = time.perf_counter() - started
    if as_json:
        print_json(_outcome_json(outcome, "written", seconds), line=line)
    else:
        _print_foreign(folder, outcome)
        click.echo(_summary(outcome, "written", seconds))
    return outcome


def _check(given: Sources, folder: Path, settings: Settings, repair: str, *, as_json: bool) -> None:
    from opmill_gen.pipeline import check_fresh

    started = time.perf_counter()
    with shown(not as_json) as progress:
        outcome, lines = check_fresh(given, folder, settings, progress)
    seconds = time.perf_counter() - started
    stale = outcome.difference.is_stale or bool(outcome.schemas)
    fresh = not stale and not outcome.difference.foreign
    if as_json:
        print_json(_outcome_json(outcome, "stale", seconds) | {"ok": fresh, "repair": repair})
    else:
        for line in islice(lines, _MAX_DIFF_LINES):
            click.echo(line)
        if next(lines, None) is not None:
            click.echo("... and more lines")
        _print_stale(folder, outcome)
        _print_foreign(folder, outcome)
        click.echo(_summary(outcome, "stale", seconds))
        if stale:
            click.echo(f"The output is stale; repair it with: {repair}", err=True)
    if not fresh:
        sys.exit(1)


def _print_stale(folder: Path, outcome: Outcome) -> None:
    """Print how many files are missing, changed or no longer made, and the first of each."""
    difference = outcome.difference
    for what, paths in (
        ("missing", difference.missing),
        ("changed", difference.changed),
        ("no longer made", difference.orphans),
    ):
        for path in paths[:_MAX_NAMED]:
            click.echo(f"{what}: {shown_path(folder)}/{path}")
        if len(paths) > _MAX_NAMED:
            click.echo(f"{what}: {len(paths) - _MAX_NAMED} more files")


def _print_foreign(folder: Path, outcome: Outcome) -> None:
    """Name the files of the output folder that opmill leaves alone."""
    foreign = outcome.difference.foreign
    for path in foreign[:_MAX_NAMED]:
        click.echo(f"{shown_path(folder)}/{path}: not made by opmill; move or delete it", err=True)
    if len(foreign) > _MAX_NAMED:
        click.echo(f"... and {len(foreign) - _MAX_NAMED} more files", err=True)


def _watch(given: Sources, folder: Path, settings: Settings, *, as_json: bool) -> None:
    """Run on every change until the user breaks off; faults do not end it."""
    from opmill_gen.cli.watch import changes

    if not as_json:
        click.echo(f"watching {given.specs} and {given.root}; Ctrl-C ends it")
    try:
        for _ in changes(given):
            try:
                _generate(given, folder, settings, as_json=as_json, line=True)
            except InputError as error:
                if as_json:
                    print_json(refusal_json(error.diagnostics), line=True)
                else:
                    print_faults(error.diagnostics)
    except KeyboardInterrupt:
        if not as_json:
            click.echo("stopped")


def _repair(
    specs: Path | None,
    families: tuple[Path, ...],
    output: Path | None,
    own: Mapping[str, str | None],
    *,
    manual: bool,
    live: Path | None,
) -> str:
    """The command that makes stale output fresh."""
    words = [*(["--manual"] if manual else []), *([f"--live {live}"] if live else [])]
    words += [f"--specs {specs}"] if specs else []
    words += [f"--families {folder}" for folder in families]
    words += [f"--output {output}"] if output else []
    words += [f"--{name.replace('_', '-')} {value}" for name, value in own.items() if value]
    return " ".join(["opmill generate", *words]) if words else "make generate"


def _summary(outcome: Outcome, word: str, seconds: float) -> str:
    removed = "orphaned" if word == "stale" else "deleted"
    return (
        f"operator versions: {outcome.versions}, files: {outcome.files}, {word}: {outcome.stale}, "
        f"{removed}: {len(outcome.difference.orphans)}, seconds: {seconds:.2f}"
    )


def _outcome_json(outcome: Outcome, word: str, seconds: float) -> dict[str, Any]:
    difference = outcome.difference
    differing = (*difference.missing, *difference.changed, *outcome.schemas)
    return {
        "ok": True,
        "faults": [],
        "versions": outcome.versions,
        "files": outcome.files,
        "rendered": len(outcome.rendered),
        word: sorted(map(str, differing)),
        "orphaned" if word == "stale" else "deleted": sorted(map(str, difference.orphans)),
        "foreign": sorted(map(str, difference.foreign)),
        "seconds": round(seconds, 3),
    }


@click.command("schema")
@click.argument("kind", type=click.Choice(list(SCHEMAS)))
def schema_command(kind: str) -> None:
    """Print the JSON Schema of a spec, an index or a family.

    Editors read it. 'generate' updates a file <kind>.schema.json in the folder of specs, and
    family.schema.json in the folder of families.
    """
    from opmill_gen.spec.json_schema import schema_text

    click.echo(schema_text(SCHEMAS[kind]), nl=False)
