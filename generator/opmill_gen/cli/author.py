"""``opmill import`` and ``opmill new``: the specs that somebody is about to write."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from opmill_gen.cli.options import (
    domain_option,
    force_option,
    installed_specs,
    onnx_release,
    own_specs,
    own_specs_option,
    reported,
)


@click.command("import")
@click.argument("operator", required=False)
@click.argument("version", required=False)
@click.option(
    "--new", "every", is_flag=True, help="Begin every published version that has no spec yet."
)
@click.option(
    "--like",
    metavar="OTHER",
    help="Copy the descriptions and cases of a version of another operator, as Add-14.",
)
@click.option(
    "--from",
    "package",
    type=click.Choice(["onnx", "onnxruntime"]),
    default="onnx",
    show_default=True,
    help="The installed package whose schemas the facts come from; onnxruntime for com.microsoft.",
)
@domain_option
@own_specs_option
@force_option
@reported
def import_command(
    operator: str | None,
    version: str | None,
    every: bool,
    like: str | None,
    package: str,
    domain: str,
    specs: Path | None,
    force: bool,
) -> None:
    """Begin the spec of a published version with its facts.

    Prose, family and examples are left as gaps. VERSION defaults to the newest; 'all' imports every
    version. With --new, every version is imported that the installed onnx has and the specs lack,
    of all domains."""
    onnx_release()
    from opmill_gen.author.import_onnx import import_new, import_specs

    if every:
        if operator is not None or like is not None or force or package != "onnx":
            raise click.UsageError("--new takes --specs alone; it imports all that is missing")
        imported = import_new(own_specs(specs))
        for path in imported.paths:
            click.echo(path)
        click.echo(f"files: {len(imported.paths)}, gaps: {imported.gaps}")
        return
    if operator is None:
        raise click.UsageError("name an OPERATOR, or say --new for all that have no spec")
    folder = own_specs(specs)
    imported = import_specs(
        folder,
        operator,
        version,
        domain,
        force=force,
        like=like,
        package=package,
        others=[] if folder == installed_specs() else [installed_specs()],
    )
    for path in imported.paths:
        click.echo(path)
    click.echo(f"files: {len(imported.paths)}, gaps: {imported.gaps}; 'generate' names each gap")


@click.command("new")
@click.argument("operator")
@click.argument("version", type=int)
@click.option(
    "--from",
    "origin",
    metavar="VERSION",
    help="The version to copy: 13, a version of OPERATOR; Name-13 or com.example/Name-13, one "
    "of any operator.  [default: a blank spec]",
)
@domain_option
@own_specs_option
@force_option
@reported
def new_command(
    operator: str,
    version: int,
    origin: str | None,
    domain: str,
    specs: Path | None,
    force: bool,
) -> None:
    """Begin the spec of an operator version of your own.

    It is a copy of the version that --from names, or a blank spec. What only you can write is
    marked TODO. The first version of an operator needs a --domain of your own."""
    from opmill_gen.author.new_version import new_version

    folder = own_specs(specs)
    others = [] if folder == installed_specs() else [installed_specs()]
    begun = new_version(folder, others, operator, version, origin, domain, force=force)
    for path in begun.paths:
        click.echo(path)
    click.echo("To decide:")
    for decision in begun.decisions:
        click.echo(f"  {decision}")
    where = "" if specs is None else f" --specs {shlex.quote(str(specs))}"
    click.echo(
        f"gaps: {begun.gaps}; 'opmill generate{where}' names each, and writes nothing while there "
        "is one"
    )
