"""Proves steps of conversions: each example of a version, moved to a neighbour and computed there.

An example is a model of one node. If a conversion needs a constant, the inputs after the first
become constants, or else those before the last. The result must have the bits of the original at
its own opset; a step whose entry says why results differ may differ by ONNX's own tolerance.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, checker, numpy_helper

import conversion_onnx
import conversion_onnxruntime
import opmill
from conversion_results import compared
from conversion_silent import reproduction
from opmill._convert.model import conversion
from opmill._onnx.catalog import domains
from opmill.conformance import Case, cases
from opmill.conformance._models import InexpressibleError

NONE = 0
"""The target version of an operator in opsets before its first version."""

CHECKER_FAULTS = frozenset(
    {
        "Split: long empty axis",  # lengths beyond an empty axis, which the spec allows
        "If: no elements",  # shapes of branches that differ
        "If: other shapes",
    }
)
"""Examples whose results ONNX's shape inference refuses although they are right."""

CRASHES = frozenset({"Slice: largest step", "Slice: smallest step"})
"""Examples whose constants crash ONNX's shape inference, or fill the memory."""


Move = tuple[ModelProto, ModelProto, list[Any]]
"""An example before and after a conversion, and its results."""


@dataclass
class Outcome:
    """The examples of one step in one direction, by what became of them."""

    operator: str
    source: int
    target: int
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    differs: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    onnx: Counter[str] = field(default_factory=Counter)
    onnxruntime: Counter[str] = field(default_factory=Counter)
    apart: list[str] = field(default_factory=list)
    silent: list[tuple[Case, ModelProto]] = field(default_factory=list)

    @property
    def problems(self) -> dict[str, int]:
        """The examples that are neither right nor refused, apart from known ones, by kind."""
        bad = {word: self.counts[word] for word in ("different", "invalid", "failed")}
        if not self.says_why:
            bad["close"] = self.counts["close"]
        return {word: count for word, count in bad.items() if count}

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


def prove(name: str, source: int, target: int, *, beside: bool = False) -> Outcome:
    """Convert and run all examples of a version; ``beside`` has ONNX's converter do the same."""
    done = Outcome(name, source, target)
    opset, goal = opsets_of(source, target)
    for case in cases([f"{name}-{source}"], rejects=False):
        moves: list[Move] = []
        word, note = judged(case, opset, (goal,), moves)
        example = case.name.partition(": ")[2]
        if word == "different" and example in done.differing:
            word, note = "differs", ""
            done.differs.append(example)
        done.counts[word] += 1
        if word == "refused":
            done.reasons[note] += 1
        elif note:
            done.notes.append(f"{case.name}: {note}")
        if beside and moves:
            _ask_onnxruntime(done, case, moves[-1])
        if beside and target != NONE and word != "not run":
            _ask_onnx(done, case, opset, goal)
    return done


def opsets_of(source: int, target: int) -> tuple[int, int]:
    """The opsets of a step between two versions: neighbours, one at which the version changes."""
    return (target - 1, target) if target > source else (source, source - 1)


def _ask_onnxruntime(done: Outcome, case: Case, move: Move) -> None:
    """Count what onnxruntime does with a converted example."""
    word = conversion_onnxruntime.judged(*move[:2], values_of(case), move[2])
    done.onnxruntime[word] += 1
    if word in ("apart", "alone"):
        done.apart.append(case.name.partition(": ")[2])


def _ask_onnx(done: Outcome, case: Case, opset: int, goal: int) -> None:
    """Count what ONNX's converter does with an example; inputs but the first are constants."""
    original = case.model(opset)
    model = with_constants(original, case)
    wanted = _run(original, case)
    word = conversion_onnx.judged(model, goal, wanted, lambda one: _run(one, case))
    done.onnx[word] += 1
    if word == "silent":
        done.silent.append((case, original))


def reproduced(done: Outcome) -> dict[str, Any]:
    """The smallest of a step's silent differences, as a model without inputs if that shows it."""
    _, goal = opsets_of(done.source, done.target)
    examples = sorted(done.silent, key=lambda one: one[1].ByteSize() + _bytes_of(one[0]))
    entry = {"example": examples[0][0].name, "examples": len(examples)}
    for case, model in examples:
        found = reproduction(model, values_of(case), goal)
        if found is not None:
            return {**entry, "example": case.name, **found}
    return entry


def _bytes_of(case: Case) -> int:
    return sum(np.asarray(one).nbytes for one in case.input_arrays() if one is not None)


def judged(
    case: Case, opset: int, goals: tuple[int, ...], moves: list[Move] | None = None
) -> tuple[str, str]:
    """Move an example to one opset after the other, and compare; return a word and a note.

    ``moves`` receives the model if it could be moved. The words are ``exact``, ``close``,
    ``different``, ``refused``, ``invalid``, ``failed`` and ``not run``.
    """
    try:
        model = case.model(opset)
        wanted = _run(model, case)
    except (InexpressibleError, opmill.Error) as error:
        return "not run", str(error)
    word, note = _moved(model, case, goals, wanted, moves)
    if _lacks_constant(word, note) and _example(case) not in CRASHES:
        word, note = _moved(with_constants(model, case), case, goals, wanted, moves)
        if _lacks_constant(word, note) and len(model.graph.input) > 1:
            model = with_constants(model, case, slice(-1))
            word, note = _moved(model, case, goals, wanted, moves)
    return word, note


def _lacks_constant(word: str, note: str) -> bool:
    return word == "refused" and "expected a constant" in note


def _moved(
    original: ModelProto,
    case: Case,
    goals: tuple[int, ...],
    wanted: list[Any],
    moves: list[Move] | None,
) -> tuple[str, str]:
    model = original
    is_valid = _example(case) not in CHECKER_FAULTS and _is_valid(model)
    try:
        for goal in goals:
            done = conversion(model, goal)
            if done.refused:
                constants = [one for one in done.refused if "expected a constant" in one.reason]
                return "refused", (constants or done.refused)[0].reason
            model = done.model
            if is_valid:
                checker.check_model(model, full_check=True)
        found = _run(model, case)
    except (checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        return "invalid", str(error)[:300]
    except opmill.Error as error:
        return "failed", str(error)[:300]
    if moves is not None:
        moves.append((original, model, wanted))
    word = compared(wanted, found)
    notes = {"exact": "", "close": "close"}
    return word, notes.get(word, f"{wanted} | {found}"[:400])


def _example(case: Case) -> str:
    """An example of all versions, as ``Split: long empty axis``."""
    return f"{case.schema.name}: {case.name.partition(': ')[2]}"


def _is_valid(model: ModelProto) -> bool:
    """Return whether ONNX's inference accepts the original; some of its versions have faults."""
    try:
        checker.check_model(model, full_check=True)
    except (checker.ValidationError, onnx.shape_inference.InferenceError):
        return False
    return True


def _run(model: ModelProto, case: Case) -> list[Any]:
    values = values_of(case)
    constant = {one.name for one in model.graph.initializer}
    feeds = {i.name: values[i.name] for i in model.graph.input if i.name not in constant}
    return list(opmill.Model(model).run(feeds))


def values_of(case: Case) -> dict[str, Any]:
    """The inputs of an example, by the names of its model."""
    model = case.model()
    return {
        name: value
        for name, value in zip(model.graph.node[0].input, case.input_arrays(), strict=False)
        if name
    }


def with_constants(model: ModelProto, case: Case, which: slice = slice(1, None)) -> ModelProto:
    """The model of an example whose inputs after the first are constants, or others."""
    changed = ModelProto()
    changed.CopyFrom(model)
    changed.ir_version = max(changed.ir_version, 4)
    values = values_of(case)
    for info in list(changed.graph.input)[which]:
        if isinstance(values[info.name], np.ndarray):
            changed.graph.initializer.append(numpy_helper.from_array(values[info.name], info.name))
            changed.graph.input.remove(info)
    return changed


@cache
def table() -> dict[str, Any]:
    """The entries of all steps."""
    text = resources.files("opmill._convert").joinpath("conversions.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
