"""The page that says how opmill is tested, with figures out of the records of long runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import code, inline
from opmill_gen.load.test_records import Records


def page_of_tests(versions: Sequence[CheckedVersion], records: Records) -> dict[str, Any]:
    """The context of ``docs/tested.md.j2``.

    Args:
        versions: the supported versions.
        records: the numbers of long test runs.
    """
    specs = [version.spec for version in versions]
    kinds = Counter(erratum.kind.value for spec in specs for erratum in spec.errata)
    figures = {
        "versions": len(specs),
        "examples": sum(len(spec.examples) for spec in specs),
        "rejects": sum(len(spec.rejects) for spec in specs),
        "onnx_tests": sum(records.onnx_tests(spec) for spec in specs),
        "random_calls": sum(records.differential_calls(spec) for spec in specs),
        "fuzzed": sum(records.c_executions(spec) for spec in specs),
        "decisions": sum(kinds.values()) - kinds["clear"],
    }
    return {
        **{name: f"{number:,}" for name, number in figures.items()},
        "targets": [inline(f"{name} {release}") for name, release in _targets(records)],
        "mutation": _mutation(records),
        "elementary": _elementary(records),
    }


def _targets(records: Records) -> list[tuple[str, str]]:
    return sorted(records.conformance_targets().items())


def _mutation(records: Records) -> dict[str, Any] | None:
    """The sample of broken code: what was broken, and how much of it the tests noticed."""
    record = records.mutation()
    if not record:
        return None
    areas = [
        {
            "name": inline(name),
            "mutants": f"{record['mutants'][name]:,}",
            "tried": sum(area.get(k, 0) for k in ("noticed", "refused", "survived")),
            "noticed": sum(area.get(k, 0) for k in ("noticed", "refused")),
        }
        for name, area in record["areas"].items()
    ]
    return {"command": code(record["command"]), "areas": areas, "share": record["share"]}


def _elementary(records: Records) -> dict[str, Any] | None:
    """The elementary functions and their largest errors, in units in the last place."""
    functions = records.elementary()
    if not functions:
        return None
    largest = {
        element: max(
            float(f[element]["error"]) for f in functions.values() if "error" in f.get(element, {})
        )
        for element in ("float", "double")
    }
    return {"count": len(functions), **{k: f"{value:.2f}" for k, value in largest.items()}}
