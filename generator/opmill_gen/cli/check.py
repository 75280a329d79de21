"""``opmill check``: the faults of a model, all at once, without running it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.plain_file import replace_plain
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.model import called, model_argument, package, pair, size_of
from opmill_gen.cli.options import json_option, print_json, reported
from opmill_gen.cli.sarif import sarif


@click.command("check")
@model_argument
@click.option(
    "--dim", "dims", multiple=True, metavar="NAME=N",
    help="The size of a named dim of the inputs; may be repeated. Other open dims are 1, 2, 64 and "
    "the sizes of the inputs in turn.",
)  # fmt: skip
@click.option(
    "--for", "targets", multiple=True, metavar="RUNTIME",
    help="Add what the scoreboard's record says of the model's operator versions on this runtime, "
    "as onnxruntime or onnxruntime@1.31.1; may be repeated.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="Warnings make the exit code 1 too.")
@click.option(
    "--sarif", "sarif_path", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write the findings as SARIF 2.1.0 here.",
)  # fmt: skip
@json_option
@reported
def check_command(
    path: Path,
    dims: tuple[str, ...],
    targets: tuple[str, ...],
    strict: bool,
    sarif_path: Path | None,
    as_json: bool,
) -> None:
    """List all faults of a model at once, each with its location.

    Names, order, attributes, types and shapes are checked against the exact operator versions that
    the model's opset selects, declared types and dims against computed ones; then ONNX's own
    checker runs. Nothing is computed but small constants.

    The exit code is 1 if there is an error.
    """
    package("check")
    import opmill
    from opmill._check.check import check

    sizes = {name: size_of(text, f"--dim {name}") for name, text in map(pair, dims)}
    checked = called(lambda: check(path, sizes))
    findings = [*checked.findings]
    for target in targets:
        findings += _known(target, checked.versions)
    counts = {
        severity: sum(one.severity == severity for one in findings)
        for severity in ("error", "warning", "note")
    }
    failed = bool(counts["error"] or (strict and counts["warning"]))
    if sarif_path is not None:
        log = sarif(findings, path.as_posix(), opmill.__version__)
        replace_plain(sarif_path, log.encode())
    if as_json:
        print_json({
            "ok": not failed, "model": path.name, "opsets": checked.opsets,
            "nodes": checked.nodes, **counts, "findings": [asdict(one) for one in findings],
        })  # fmt: skip
    else:
        for one in findings:
            click.echo(str(one))
        opsets = ", ".join(f"{domain} {version}" for domain, version in checked.opsets.items())
        summary = ", ".join(f"{severity}s: {count}" for severity, count in counts.items())
        click.echo(f"{path.name}: opsets: {opsets}, nodes: {checked.nodes}, {summary}")
    if failed:
        sys.exit(1)


def _known(target: str, versions: dict[Any, list[tuple[str, str]]]) -> Iterator[Any]:
    """Read the scoreboard's record of operator versions on a runtime."""
    from opmill._check.finding import Finding
    from opmill_gen.load.sources import default_sources
    from opmill_gen.load.test_records import read_records

    name, _, release = target.partition("@")
    record = read_records(default_sources().records).files.get("conformance", {})
    releases = record.get("targets", {})
    if name not in releases:
        raise Mistake(f"--for: {name} is not in the record, expected one of {', '.join(releases)}")
    recorded = releases[name]
    if release and recorded != release and not recorded.startswith(f"{release}."):
        text = f"the record is of {name} {recorded}, not of {release}"
        yield Finding("note", "scoreboard", "", "", "", text)
    for (domain, operator, version), nodes in sorted(versions.items()):
        label = f"{operator}-{version}"
        entry = record["versions"].get(domain, {}).get(label, {}).get(name)
        if entry is None:
            continue
        texts = list(_texts(f"{name} {recorded}", entry))
        more = f" [{len(nodes)} nodes]" if len(nodes) > 1 else ""
        for severity, text in texts:
            yield Finding(severity, "scoreboard", *nodes[0], label, text + more)


def _texts(runtime: str, entry: dict[str, Any]) -> Iterator[tuple[str, str]]:
    words = ("right", "open", "wrong", "refused", "crashed", "hung")
    examples = sum(entry.get(word, 0) for word in words)
    smallest = entry.get("smallest")
    failed = sum(entry.get(word, 0) for word in ("wrong", "crashed", "hung"))
    if failed and smallest is not None:
        of_type = f" ({smallest['type']})" if smallest["type"] else ""
        yield (
            "warning",
            (
                f"{runtime} fails {failed} of {examples} examples, the smallest is "
                f"'{smallest['case']}'{of_type}: {smallest['outcome']}: {smallest['text']}"
            ),
        )
    if entry.get("refused", 0) == examples:
        yield "warning", f"{runtime} refuses all {examples} examples"
    elif entry.get("open"):
        count = entry["open"]
        yield "note", f"{runtime} differs in {count} of {examples} examples that ONNX leaves open"
