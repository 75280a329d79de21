"""Counts of ONNX's own tests that judge each operator version, as a file of numbers.

``make records`` writes the section ``onnx_tests`` of each operator's record with it, or of those in
``OPERATORS="Tile Conv"``. Before, it runs all that it counts: each test at every opset, where
``make test`` takes the first and the last opset of each operator version.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import onnx
from onnx import ModelProto

import opmill
from onnx_rewrites import is_alone, rewrites
from onnx_suite import (
    Case,
    backends_of,
    cases,
    legal_versions,
    opset_of,
    published_domains,
    rebuilt,
    run_in_backend,
)
from operator_records import sections_named, write_section
from opmill._onnx.catalog import domains
from opmill_gen.base.processes import in_processes
from opmill_gen.base.progress import shown


def record() -> dict[str, dict[str, Any]]:
    """The numbers of each operator, worked out from the suite that is installed.

    A test is listed once, for the first of its operators, with the version of that operator.
    """
    counts: dict[tuple[str, int], dict[str, int]] = {
        (name, version): dict.fromkeys(("own", "rebuilt", "rewritten", "models"), 0)
        for domain, name, version in opmill.operators()
        if published_domains().get(name) == domain
    }
    for (name, version), judged in judged_by_version().items():
        for _, how in {(one.case.name, one.how) for one in judged}:
            counts[name, version][how] += 1
        counts[name, version]["models"] = len(judged)
    found: dict[str, dict[str, Any]] = {}
    for (name, version), numbers in sorted(counts.items()):
        own = found.setdefault(name, {"onnx": onnx.__version__, "tests": {}, "versions": {}})
        own["versions"][str(version)] = numbers
    for case in cases():
        versions = case.versions
        first = min(versions)
        found[first]["tests"][case.name] = versions[first]
    return found


class Judged(NamedTuple):
    """A test at an opset, and whether it is ``own``, ``rebuilt`` or ``rewritten`` there."""

    case: Case
    how: str
    opset: int
    versions: dict[str, int]
    """The operator versions of the model."""
    model: Callable[[], ModelProto | None]
    """Makes the model."""

    def run(self) -> None:
        """Compare what the model gives with what the test expects."""
        model = self.model()
        assert model is not None
        assert opset_of(model) == self.opset
        try:
            run_in_backend(self.case, model)
        except Exception as error:
            error.add_note(f"{self.case.name}, {self.how} at opset {self.opset}")
            raise


@cache
def judged_by_version() -> dict[tuple[str, int], list[Judged]]:
    """Every test, at every opset of its operators' domain, that judges an operator version."""
    found: dict[tuple[str, int], list[Judged]] = defaultdict(list)
    for case in cases():
        own = case.versions
        for opset in range(1, domains()[case.domain].opset + 1):
            versions = legal_versions(case, opset) or {}
            for name, version in versions.items():
                how = "own" if own[name] == version else "rebuilt"
                judged = Judged(case, how, opset, versions, partial(rebuilt, case, opset))
                found[name, version].append(judged)
        for (name, version), rewrite in rewrites().items():
            if name in own and is_alone(case.model, name):
                for opset, model in rewrite(case):
                    there = {name: version}
                    judged = Judged(case, "rewritten", opset, there, partial(_same, model))
                    found[name, version].append(judged)
    return dict(found)


def _same(model: ModelProto) -> ModelProto:
    return model


def ends(judged: list[Judged]) -> list[Judged]:
    """Each test at the first and at the last of its opsets alone, as those between say the same."""
    opsets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in judged:
        opsets[one.case.name, one.how].append(one.opset)
    return [
        one for one in judged if one.opset in (min(at := opsets[one.case.name, one.how]), max(at))
    ]


def run(names: Collection[str]) -> None:
    """Run the tests of operators at every opset, on every backend that has kernels for it.

    What judges several versions is run once. All processors take part.
    """
    tests: dict[object, Judged] = {}
    for (name, _), judged in judged_by_version().items():
        for one in judged if name in names else ():
            is_rewritten = one.how == "rewritten"
            tests.setdefault(id(one) if is_rewritten else (one.case.name, one.opset), one)
    with shown(True) as progress:
        for _ in in_processes(_run, list(tests.values()), partial(progress, "running")):
            pass


def _run(judged: Judged) -> None:
    for backend in backends_of(judged.versions):
        with opmill.use_backend(backend):
            judged.run()


@cache
def recorded() -> dict[str, dict[str, Any]]:
    """The recorded numbers of the operators that there are."""
    known = {(domain, name) for domain, name, _ in opmill.operators()}
    sections = sections_named("onnx_tests").items()
    return {name: own for (domain, name), own in sections if (domain, name) in known}


def main(names: Sequence[str]) -> None:
    """Run the tests of some operators and record their numbers; without names, of all."""
    numbers = record()
    if unknown := sorted({*names} - numbers.keys()):
        raise SystemExit(f"make records: {unknown[0]} is not a supported operator of ONNX")
    chosen = {name: numbers[name] for name in names or numbers}
    run(chosen)
    sections = {(published_domains()[name], name): own for name, own in chosen.items()}
    if not names:  # those of operators that are no longer counted are removed
        sections = {**{key: {} for key in sections_named("onnx_tests")}, **sections}
    for (domain, name), section in sections.items():
        write_section(domain, name, "onnx_tests", section)


if __name__ == "__main__":
    main(sys.argv[1:])
