"""``opmill convert``: a model moved to another opset, which the generated package does."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.plain_file import replace_plain
from opmill_gen.base.progress import shown
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.options import json_option, onnx_release, print_json, reported


@click.command("convert")
@click.argument(
    "path", metavar="MODEL", type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@click.option("--opset", type=click.IntRange(1), metavar="N", help="The opset to move to.")
@click.option(
    "--domain",
    type=click.Choice(["ai.onnx"]),
    help="Replace the nodes of all other domains by nodes of this one.",
)
@click.option("--lowest", is_flag=True, help="Move to the lowest opset that the model reaches.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="OUT",
    help="Write the converted model here.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print what would change, and write nothing.")
@click.option(
    "--copy-data", is_flag=True, help="Copy files with external data to the folder of OUT."
)
@json_option
@reported
def convert_command(
    path: Path,
    opset: int | None,
    domain: str | None,
    lowest: bool,
    output: Path | None,
    dry_run: bool,
    copy_data: bool,
    as_json: bool,
) -> None:
    """Move a model to another opset, or out of other domains.

    --domain replaces the nodes of other domains by nodes of the one that it names.
    If a node cannot be moved, all such nodes are listed with their reasons, nothing is written,
    and the exit code is 1. External data stay where they are, so OUT belongs beside MODEL
    unless --copy-data is given.
    """
    if (opset is not None and lowest) or (opset is None and not lowest and domain is None):
        raise click.UsageError("expected one of --opset and --lowest, or --domain")
    if output is None and not dry_run:
        raise click.UsageError("expected -o OUT or --dry-run")
    onnx_release()
    import opmill
    from opmill._convert.graphs import external_locations
    from opmill._convert.model import conversion
    from opmill._onnx.outside import Folder

    try:
        with shown(not as_json) as progress:
            done = conversion(path, 1 if lowest else opset, domain=domain, progress=progress)
            if lowest:
                done = conversion(path, done.reached, domain=domain, progress=progress)
    except (OSError, opmill.Error) as error:
        raise Mistake(str(error)) from error
    if output is not None and not done.refused and not dry_run:
        moved = output.resolve().parent != path.resolve().parent
        files = external_locations(done.model) if moved else []
        if files and not copy_data:
            raise Mistake(
                f"{path} has external data, which stay in its folder; write OUT into that folder, "
                "or give --copy-data"
            )
        for name in files:
            if (output.parent / name).exists():
                raise Mistake(f"{output.parent / name} exists; remove it, or choose another folder")
        try:
            for name in files:
                Folder(path.parent).copy(name, output.parent)
        except opmill.Error as error:
            raise Mistake(str(error)) from error
        replace_plain(output, done.model.SerializeToString())
    report: dict[str, Any] = {
        "ok": not done.refused,
        "from": done.source,
        "to": done.opset,
        "reached": done.reached,
        "refused": [asdict(one) for one in done.refused],
        "changed": [asdict(one) for one in done.changed],
    }
    if as_json:
        print_json(report)
    else:
        for one in done.changed if dry_run else ():
            click.echo(str(one))
        for one in done.refused:
            click.echo(str(one), err=True)
        click.echo(_summary(report))
    if done.refused:
        sys.exit(1)


def _summary(report: dict[str, Any]) -> str:
    moved = f"opset {report['from']} to {report['to']}"
    if report["ok"]:
        changes = len(report["changed"])
        return f"{moved}: {changes} {'change' if changes == 1 else 'changes'}"
    count = len(report["refused"])
    return f"{moved}: {count} nodes cannot be moved; the model reaches opset {report['reached']}"
