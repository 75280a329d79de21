"""Proves steps of conversions: each example of a version, moved to a neighbour and computed there.

An example is a model of one node. If a conversion needs a constant, the inputs after the first
become constants. The result must have the bits of the original at its own opset; a step whose
entry says why results differ may differ by ONNX's own tolerance.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np
import onnx
from ml_dtypes import finfo
from onnx import ModelProto, checker, numpy_helper

import opmill
from compiled_networks import NETWORKS
from converted_networks import TARGETS, WORDS, Moved, moved
from opmill._convert.model import conversion
from opmill._onnx.catalog import domains
from opmill.conformance import Case, cases
from opmill.conformance._models import InexpressibleError

RTOL, ATOL = 1e-3, 1e-7

NONE = 0
"""The target version of an operator in opsets before its first version."""

SUMMARIES = {
    "exact": "every example has the same bits",
    "conditional": "some examples are refused with a reason, the others are right",
    "close": "results may differ, as the entry says",
    "impossible": "no example can be moved",
    "not run": "no example can be run at the version's own opset",
    "faulty": "an example is wrong, or its model invalid",
}
"""The words that describe a step."""

CHECKER_FAULTS = frozenset(
    {
        "Split-1: long empty axis",  # lengths beyond an empty axis, which the spec allows
        "If-11: no elements",  # shapes of branches that differ
        "If-11: other shapes",
    }
)
"""Examples whose results ONNX's shape inference refuses although they are right."""


@dataclass
class Outcome:
    """The examples of one step in one direction, by what became of them."""

    operator: str
    source: int
    target: int
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def problems(self) -> dict[str, int]:
        """The examples that are neither right nor refused, apart from known ones, by kind."""
        bad = {word: self.counts[word] for word in ("different", "invalid", "failed")}
        if not self.says_why:
            bad["close"] = self.counts["close"]
        return {word: count for word, count in bad.items() if count}

    @property
    def summary(self) -> str:
        """The step in one word of ``SUMMARIES``."""
        right = self.counts["exact"] + self.counts["close"]
        if self.problems:
            return "faulty"
        if not right:
            return "impossible" if self.counts["refused"] else "not run"
        if self.counts["refused"]:
            return "conditional"
        return "close" if self.counts["close"] or self.counts["differs"] else "exact"

    @property
    def says_why(self) -> bool:
        """True if the entry says why results differ."""
        return any("why" in one for one in self._alternatives)

    @property
    def differing(self) -> frozenset[str]:
        """The examples that the entry lists as different."""
        return frozenset(n for one in self._alternatives for n in one.get("differs", ()))

    @property
    def _alternatives(self) -> list[dict[str, Any]]:
        low, high = sorted((self.source, self.target))
        key = f"{'new' if low == NONE else low}>{high}"
        entry = table()["ai.onnx"].get(self.operator, {}).get(key, {})
        direction = "up" if self.direction == "up" else "down"
        found: list[dict[str, Any]] = entry.get(direction, [])
        return found

    @property
    def direction(self) -> str:
        """Up or down; ``new`` where the operator does not exist at the target."""
        if self.target == NONE:
            return "new"
        return "up" if self.target > self.source else "down"


def steps(names: frozenset[str] | None = None) -> Iterator[tuple[str, int, int]]:
    """Every step in both directions, as (operator, source version, target version).

    Where an entry computes an operator before its first version, the target version is ``NONE``.
    """
    for name, published in sorted(domains()["ai.onnx"].published.items()):
        if names is None or name in names:
            first = published.versions[0]
            if first > 1 and f"new>{first}" in table()["ai.onnx"].get(name, {}):
                yield name, first, NONE
            for older, newer in zip(published.versions, published.versions[1:], strict=False):
                yield name, older, newer
                yield name, newer, older


def prove(name: str, source: int, target: int) -> Outcome:
    """Convert and run all examples of a version."""
    done = Outcome(name, source, target)
    opset, goal = (target - 1, target) if target > source else (source, source - 1)
    for case in cases([f"{name}-{source}"], rejects=False):
        word, note = _judged(case, opset, goal)
        if word == "different" and case.name.partition(": ")[2] in done.differing:
            word, note = "differs", ""
        done.counts[word] += 1
        if word == "refused":
            done.reasons[note] += 1
        elif note:
            done.notes.append(f"{case.name}: {note}")
    return done


def _judged(case: Case, opset: int, goal: int) -> tuple[str, str]:
    try:
        model = case.model(opset)
        wanted = _run(model, case)
    except (InexpressibleError, opmill.Error) as error:
        return "not run", str(error)
    done = conversion(model, goal)
    if any("expected a constant" in one.reason for one in done.refused):
        model = _with_constants(model, case)
        done = conversion(model, goal)
    if done.refused:
        return "refused", done.refused[0].reason
    try:
        if case.name not in CHECKER_FAULTS and _is_valid(model):
            checker.check_model(done.model, full_check=True)
    except (checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return "invalid", str(error)[:300]
    try:
        found = _run(done.model, case)
    except opmill.Error as error:
        return "failed", str(error)[:300]
    if all(_equal(one, other, 0, 0) for one, other in zip(wanted, found, strict=True)):
        return "exact", ""
    rtol = max([RTOL, *map(_step_of, wanted)])
    if all(_equal(one, other, rtol, ATOL) for one, other in zip(wanted, found, strict=True)):
        return "close", "close"
    return "different", f"{wanted} | {found}"[:400]


def _step_of(array: Any) -> float:
    """Two steps of a type of 16 bits at 1, relative; 0 for other types."""
    name = str(getattr(array, "dtype", ""))
    return 2 * float(finfo(name).eps) if name in ("float16", "bfloat16") else 0.0


def _is_valid(model: ModelProto) -> bool:
    """Return whether ONNX's inference accepts the original; some of its versions have faults."""
    try:
        checker.check_model(model, full_check=True)
    except (checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


def _run(model: ModelProto, case: Case) -> list[Any]:
    values = _values(case)
    constant = {one.name for one in model.graph.initializer}
    feeds = {i.name: values[i.name] for i in model.graph.input if i.name not in constant}
    return list(opmill.Model(model).run(feeds))


def _values(case: Case) -> dict[str, Any]:
    model = case.model()
    return {
        name: value
        for name, value in zip(model.graph.node[0].input, case.input_arrays(), strict=False)
        if name
    }


def _with_constants(model: ModelProto, case: Case) -> ModelProto:
    changed = ModelProto()
    changed.CopyFrom(model)
    changed.ir_version = max(changed.ir_version, 4)
    values = _values(case)
    for info in list(changed.graph.input)[1:]:
        if isinstance(values[info.name], np.ndarray):
            changed.graph.initializer.append(numpy_helper.from_array(values[info.name], info.name))
            changed.graph.input.remove(info)
    return changed


def _equal(one: Any, other: Any, rtol: float, atol: float) -> bool:
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_equal(a, b, rtol, atol) for a, b in pairs)
    if one is None or other is None:
        return one is other
    one, other = np.asarray(one), np.asarray(other)
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if rtol and one.dtype.kind in "fV" and one.dtype.names is None:
        wide = one.astype(np.float64), other.astype(np.float64)
        return bool(np.allclose(*wide, rtol, atol, equal_nan=True))
    return (one.dtype == object and list(one.flat) == list(other.flat)) or _bits(one) == _bits(
        other
    )


def _bits(array: np.ndarray[Any, Any]) -> bytes:
    return array.tobytes()


def table() -> dict[str, Any]:
    """The entries of all steps."""
    text = resources.files("opmill._convert").joinpath("conversions.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _prove(step: tuple[str, int, int]) -> Outcome:
    return prove(*step)


def main() -> int:
    """Prove every step, move every network, and print the counts; faults make the exit code 1."""
    counted: Counter[tuple[str, str]] = Counter()
    moves: Counter[tuple[int, str]] = Counter()
    faulty = 0
    with ProcessPoolExecutor() as pool:
        for done in pool.map(_prove, list(steps()), chunksize=4):
            counted[done.direction, done.summary] += 1
            if done.problems:
                faulty += 1
                print(f"{done.operator} {done.source}>{done.target}: {dict(done.problems)}")
                print("".join(f"  {note[:300]}\n" for note in done.notes[:3]), end="")
        for network in pool.map(_networks, NETWORKS):
            for one in network:
                moves[one.opset, one.word] += 1
                moves[one.opset, "onnx"] += one.onnx
                if one.word == "wrong":
                    faulty += 1
                    print(f"{one.name} to opset {one.opset}: {one.reason}")
    for direction in ("up", "down", "new"):
        words = (f"{word} {counted[direction, word]}" for word in SUMMARIES)
        print(f"{direction}: {', '.join(words)}")
    for opset in TARGETS:
        words = (f"{word} {moves[opset, word]}" for word in (*WORDS, "onnx"))
        print(f"networks to opset {opset}: {', '.join(words)}")
    return 1 if faulty else 0


def _networks(name: str) -> list[Moved]:
    return list(moved(name, beside=True))


if __name__ == "__main__":
    sys.exit(main())
