"""``opmill fuzz``: drawn calls of operator versions for another runtime."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.base.progress import shown
from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.model import called, package
from opmill_gen.cli.options import json_option, print_json, reported


@click.command("fuzz")
@click.option(
    "--backend", required=True, metavar="TARGET",
    help="onnxruntime or another runtime that 'conformance' knows, or package.module:Backend.",
)  # fmt: skip
@click.option(
    "--operator", "operators", multiple=True, required=True, metavar="NAME",
    help="This operator, or this version of it, as Tile or Tile-13; may be repeated.",
)  # fmt: skip
@click.option("--domain", default=MAIN_DOMAIN, show_default=True, help="The operators' domain.")
@click.option("--opset", type=click.IntRange(1), help="Only the versions that this opset uses.")
@click.option("--examples", type=click.IntRange(1), default=200, show_default=True, metavar="N",
              help="The number of calls of each version.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True,
              help="All calls follow from it.")  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(0.1), default=300.0, show_default=True,
    help="The time after which no further call is computed.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86400), default=20.0, show_default=True,
    metavar="SECONDS", help="The time that a call may take.",
)  # fmt: skip
@click.option("--no-illegal", is_flag=True, help="Leave out invalid calls, which may only crash.")
@click.option(
    "--write", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Write the smallest failing call of each version to DIR/Tile-13 and so on, as ONNX's "
    "tests have it. DIR must be missing or empty.",
)  # fmt: skip
@json_option
@reported
def fuzz_command(
    backend: str,
    operators: tuple[str, ...],
    domain: str,
    opset: int | None,
    examples: int,
    seed: int,
    seconds: float,
    timeout: float,
    no_illegal: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Search for calls that a runtime computes otherwise.

    A call that ends the runtime's process counts too. Calls are drawn as the operator's family
    describes them, and the family's oracle computes the expected outputs. The first call that
    fails is reduced to a small one.

    The exit code is 1 if a call fails. A runtime may refuse a call, and may compute an invalid one.
    """
    package("fuzz")
    from opmill._compare.reproduction import check_new
    from opmill.conformance._fuzz import KINDS, Fuzzed, Fuzzer
    from opmill.conformance._process import Worker

    if folder is not None:
        called(lambda: check_new(folder))
    versions = list(called(lambda: list(_versions(operators, domain, opset))))
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a backend beside the caller, as for python -m
    worker = Worker(backend, timeout)
    results: list[Any] = []
    try:
        name, release = called(worker.start)
        fuzzer = Fuzzer(worker, monotonic() + seconds)
        with shown(not as_json) as progress:
            for version in progress(f"fuzzing {name}", versions):
                found = Fuzzed(version.schema)
                for kind in KINDS[: 1 if no_illegal or version.illegal is None else 2]:
                    if found.failure is None:
                        called(partial(fuzzer.run, version, kind, examples, seed, found))
                results.append(found)
    finally:
        worker.stop()
    written = {} if folder is None else _written(folder, results)
    documents = [_document(one, written.get(one.schema.label)) for one in results]
    failures = sum(one.failure is not None for one in results)
    if as_json:
        print_json({"ok": not failures, "backend": name, "version": release, "seed": seed,
                    "versions": documents})  # fmt: skip
    else:
        click.echo(f"{name} {release}".rstrip())
        for document in documents:
            _print(document)
        click.echo(f"versions: {len(documents)}, failures: {failures}, seed: {seed}")
    if failures:
        sys.exit(1)


def _versions(operators: tuple[str, ...], domain: str, opset: int | None) -> Iterator[Any]:
    """The chosen versions, with what draws their calls."""
    from opmill import operator as operator_of
    from opmill import operators as every_version
    from opmill.conformance._cases import chosen_versions
    from opmill.conformance._fuzz import drawable

    known = [(name, number) for home, name, number in every_version() if home == domain]
    for name, number in chosen_versions(known, operators, None, opset):
        schema = operator_of(name, number, domain).schema
        family, parameters = _family(schema)
        found = drawable(schema, family, parameters)
        if found is None:
            raise Mistake(
                f"{schema.label} has no calls to draw: its family has no calls.py, or it takes "
                "sequences, optionals or graphs"
            )
        yield found


def _family(schema: Any) -> tuple[str, Mapping[str, Any]]:
    """The family of a version, and its parameters and rule."""
    from opmill_gen.inspect.lookup import look_up
    from opmill_gen.load.families import read_family
    from opmill_gen.load.sources import default_sources
    from opmill_gen.yaml_reader.decode import Faults

    sources = default_sources()
    for version in look_up(sources, schema.name):
        if (version.domain, version.number) == (schema.domain, schema.since_version):
            use, faults = version.readable.family, Faults()
            family = read_family(sources, use, faults)
            if family is not None:
                rule = family.rule(use, faults)
                if rule is not None:
                    return family.name, {**family.bind(use, faults), "rule": rule.name}
    raise Mistake(f"the spec of {schema.label} is not in {sources.specs}, expected it there")


def _written(folder: Path, results: list[Any]) -> dict[str, str]:
    from opmill._compare.reproduction import write_call
    from opmill.conformance._models import output_names

    written: dict[str, str] = {}
    for one in results:
        if one.failure is None:
            continue
        case, target = one.failure.case, folder / one.schema.label
        model = case.model()
        given = [array for array in case.input_arrays() if array is not None]
        inputs = dict(zip((entry.name for entry in model.graph.input), given, strict=True))
        outputs = dict(zip(output_names(case), case.expected_arrays(), strict=False))
        if case.is_reject:
            outputs = {entry.name: None for entry in model.graph.output}
        called(partial(write_call, target, model, inputs, outputs))
        written[one.schema.label] = str(target)
    return written


def _document(one: Any, path: str | None) -> dict[str, Any]:
    failure = None
    if one.failure is not None:
        from opmill._compare.walk import facts

        case = one.failure.case
        names = [parameter.name for parameter in case.schema.inputs]
        last = names[-1:] or [""]
        failure = {
            "outcome": str(one.failure.outcome),
            "valid": not case.is_reject,
            "text": one.failure.text,
            "inputs": [
                f"{(names[k] if k < len(names) else last[0])} "
                f"{'absent' if array is None else facts(array)}"
                for k, array in enumerate(case.input_arrays())
            ],
            "attributes": {key: _shown(value) for key, value in case.attributes.items()},
            "path": path,
        }
    return {
        "operator": one.schema.label,
        "domain": one.schema.domain,
        "calls": dict(sorted(one.counts.items())),
        "failure": failure,
    }


def _shown(value: Any) -> Any:
    return value if isinstance(value, (int, float, str, list, tuple)) else str(value)


def _print(document: dict[str, Any]) -> None:
    counts = ", ".join(f"{outcome}: {count}" for outcome, count in document["calls"].items())
    click.echo(f"{document['operator']}: {counts or 'no calls'}")
    failure = document["failure"]
    if failure is None:
        return
    kind = "a valid call" if failure["valid"] else "an invalid call"
    click.echo(f"  {failure['outcome']}: {kind}: {failure['text']}")
    for line in failure["inputs"]:
        click.echo(f"  input {line}")
    for name, value in failure["attributes"].items():
        click.echo(f"  attribute {name} = {value!r}")
    if failure["path"] is not None:
        click.echo(f"  reproduction: {failure['path']}")
