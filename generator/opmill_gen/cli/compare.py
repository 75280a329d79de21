"""``opmill compare``: a model beside another runtime or another model, node by node."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from opmill_gen.base.progress import shown
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.model import called, model_argument, model_inputs, package
from opmill_gen.cli.options import json_option, print_json, reported

_LISTED = 20
"""The number of nodes that are listed with their differences."""


@click.command("compare")
@model_argument
@click.option(
    "--with", "other", required=True, metavar="TARGET",
    help="onnxruntime, onnx.reference or another runtime that 'conformance' knows; "
    "package.module:Backend; or the path of another model.",
)  # fmt: skip
@click.option(
    "--input", "given", type=click.Path(path_type=Path, exists=True), metavar="X",
    help="Inputs by name: an .npz file, or a folder with input_0.pb as ONNX's tests have it. All "
    "other inputs are random.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True,
              help="The seed of random inputs.")  # fmt: skip
@click.option("--dim", "dims", multiple=True, metavar="NAME=N",
              help="The size of a named dim of random inputs; may be repeated.  [default: 1]",
)  # fmt: skip
@click.option("--shape", "shapes", multiple=True, metavar="INPUT=N,N,...",
              help="The whole shape of a random input; may be repeated.")  # fmt: skip
@click.option(
    "--fallback", type=click.Choice(("onnxruntime", "reference")),
    help="The runtime of nodes whose operator versions opmill does not support.",
)  # fmt: skip
@click.option("--rtol", type=click.FloatRange(0), help="Allowed relative difference of floats.  "
              "[default: that of the operator]")  # fmt: skip
@click.option("--atol", type=click.FloatRange(0), help="Allowed absolute difference of floats.  "
              "[default: that of the operator]")  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86400), default=60.0, show_default=True,
    metavar="SECONDS", help="The time that the other runtime may take for a node.",
)  # fmt: skip
@click.option(
    "--write", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Write the smallest reproduction of the first difference here: a model of one node, its "
    "inputs and the expected outputs. DIR must be missing or empty.",
)  # fmt: skip
@json_option
@reported
def compare_command(
    path: Path,
    other: str,
    given: Path | None,
    seed: int,
    dims: tuple[str, ...],
    shapes: tuple[str, ...],
    fallback: Any,
    rtol: float | None,
    atol: float | None,
    timeout: float,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Find the first node that another runtime computes otherwise.

    Each node is computed by opmill and by the other runtime, from the same inputs, and compared
    within the tolerance of its operator version; then the outputs of whole runs are compared. If
    TARGET is a model, opmill computes both, and values with the same name are compared.

    The exit code is 1 if a node or an output differs, or if the other runtime crashes or hangs. A
    runtime may refuse a node: that is no difference.
    """
    package("compare")
    from opmill._compare import comparison, reproduction
    from opmill._compare.judge import Judge
    from opmill._compare.walk import Walk

    if folder is not None:
        called(lambda: reproduction.check_new(folder))
    walk = called(lambda: Walk(path, fallback))
    ends = SimpleNamespace(inputs=walk.inputs, defaults=walk.defaults)
    values = None
    if given is not None and given.is_dir():
        data = given
        values = called(lambda: reproduction.read_inputs(data))
    inputs = model_inputs(ends, given, seed, dims, shapes, values)
    tolerance = None if rtol is None and atol is None else (rtol or 0.0, atol or 0.0)
    second = Path(other)
    if second.is_file():
        if folder is not None:
            raise Mistake("--write needs a runtime as TARGET: two models share no node")
        walk_other = called(lambda: Walk(second, fallback))
        with shown(not as_json) as progress:
            found = called(lambda: comparison.against_model(
                walk, walk_other, inputs, tolerance, progress))  # fmt: skip
        found.other = second.name
        _report(path, found, {}, as_json)
        return
    from opmill.conformance._process import Worker

    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a backend beside the caller, as for python -m
    worker = Worker(other, timeout)
    try:
        name, version = called(worker.start)
        judge = Judge(walk, worker, tolerance)
        with shown(not as_json) as progress:
            found = called(lambda: comparison.against_runtime(
                walk, inputs, judge, version, name, progress))  # fmt: skip
        _report(path, found, _details(found, judge, folder), as_json)
    finally:
        worker.stop()


def _details(found: Any, judge: Any, folder: Path | None) -> dict[str, Any]:
    """Describe the first difference by the operator's examples, and its reproduction."""
    from opmill._compare import comparison
    from opmill._compare.reduce import reduced, write_reduced

    call = found.first
    if call is None:
        return {}
    details: dict[str, Any] = {}
    if found.inside is not None:
        inner = found.inside.found
        details["inside"] = None if inner is None else asdict(inner.result)
        details["inside_compared"] = found.inside.compared
        details["inside_complete"] = not found.inside.is_cut
        if inner is not None:
            judge, call = inner.judge, inner.call
    details["call"] = comparison.call_lines(call)
    if call.operator is not None:
        kit = comparison.kit_result(call.operator, judge.worker)
        details["examples"] = kit.examples
        details["examples_wrong"] = list(kit.wrong)
        details["errata"] = [
            {"name": one.name, "text": " ".join(one.text.split())} for one in kit.errata
        ]
    if folder is not None:
        small = reduced(call, judge)
        called(lambda: write_reduced(folder, small, judge))
        details["reproduction"] = str(folder)
        details["reproduction_call"] = small.lines
        details["reproduction_difference"] = small.text
    return details


def _report(path: Path, found: Any, details: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json({
            "ok": found.ok, "model": path.name, "with": found.other, "version": found.version,
            "nodes": [asdict(one) for one in found.nodes],
            "outputs": [asdict(one) for one in found.outputs], "first": details or None,
        })  # fmt: skip
    else:
        for line in _lines(path, found, details):
            click.echo(line)
    if not found.ok:
        sys.exit(1)


def _lines(path: Path, found: Any, details: dict[str, Any]) -> Sequence[str]:
    counts: dict[str, int] = {}
    for one in found.nodes:
        counts[one.outcome] = counts.get(one.outcome, 0) + 1
    summary = ", ".join(f"{outcome}: {count}" for outcome, count in sorted(counts.items()))
    lines = [f"{path.name} with {found.other} {found.version}".rstrip(), f"nodes: {summary}"]
    others = [one for one in found.nodes if one.outcome != "equal"]
    lines += [f"{one.node}: {one.operator}: {one.outcome}: {one.text}" for one in others[:_LISTED]]
    if len(others) > _LISTED:
        lines.append(f"and {len(others) - _LISTED} more; --json lists all")
    for one in found.outputs:
        what = f"output {one.node}" if one.outcome in ("equal", "differs") else one.node
        lines.append(f"{what}: {one.outcome}{one.text and f': {one.text}'}")
    if details:
        first = found.first_result
        lines.append(f"first: {first.node}: {first.operator}")
        if found.inside is not None:
            lines.append(f"  inside: {_inside(found.inside)}")
            first = first if found.inside.found is None else found.inside.found.result
        lines += [f"  {line}" for line in details["call"]]
        wrong = details.get("examples_wrong")
        if wrong is not None:
            text = f"  {found.other} computes {len(wrong)} of {details['examples']} examples of "
            text += f"{first.operator} otherwise"
            lines.append(text + (f", as '{wrong[0]}'" if wrong else ""))
            lines += [f"  open in ONNX: {one['text']}" for one in details["errata"]]
        if "reproduction" in details:
            lines.append(f"reproduction: {details['reproduction']}")
            lines += [f"  {line}" for line in details["reproduction_call"]]
            lines.append(f"  {details['reproduction_difference']}")
    return lines


def _inside(search: Any) -> str:
    """Findings in the graphs or the function of the first node that differs."""
    if search.found is not None:
        one = search.found.result
        return f"{one.node}: {one.operator}: {one.outcome}: {one.text}"
    if search.is_cut:
        return f"the time is over; the first {search.compared} computed nodes are equal"
    return f"no node differs by itself; nodes compared: {search.compared}"
