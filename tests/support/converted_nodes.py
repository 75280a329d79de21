"""ONNX's own node tests moved to older opsets, beside ONNX's converter."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, checker, numpy_helper

import conversion_onnx
import opmill
from conversion_results import compared
from onnx_suite import Case, cases
from opmill._convert.model import conversion
from opmill._convert.step import version_at
from opmill._onnx.catalog import MAIN_DOMAIN

LOWER = "one lower"
"""The target of a test that is moved by one opset."""
TARGETS: tuple[str | int, ...] = (LOWER, 13)


class Moved(NamedTuple):
    """Outcome of a node test.

    Args:
        name: its name.
        target: one of ``TARGETS``.
        exists: whether its operators exist at the target.
        word: ``exact``, ``close``, ``refused``, ``different`` or ``failed``.
        reason: why it is refused, or what is wrong.
        onnx: what ONNX's converter does with it, a word of ``conversion_onnx.WORDS``.
    """

    name: str
    target: str | int
    exists: bool
    word: str
    reason: str
    onnx: str


@cache
def tests() -> dict[str, Case]:
    """The node tests of ONNX's own domain, without the models of their function bodies."""
    return {
        case.name: case
        for case in cases()
        if case.kind == "node" and "_expanded" not in case.name and case.domain == MAIN_DOMAIN
    }


def moved(name: str) -> list[Moved]:
    """Move a node test to each of the targets that are older than it is."""
    case = tests()[name]
    opset = case.opset
    inputs = case.data[0][0]
    wanted = opmill.Model(case.model).run(_feeds(case.model, case.model, inputs))
    found = []
    for target in TARGETS:
        to = opset - 1 if target == LOWER else int(target)
        if 1 <= to < opset:
            exists = all(version_at(one.op_type, to) for one in case.nodes)
            word, reason = _judged(case, to, inputs, wanted)
            constant = _with_constants(case.model, inputs)
            by_onnx = conversion_onnx.judged(
                constant, to, wanted, lambda one: _run(one, case.model, inputs)
            )
            found.append(Moved(name, target, exists, word, reason, by_onnx))
    return found


def _judged(case: Case, to: int, inputs: list[Any], wanted: list[Any]) -> tuple[str, str]:
    done = conversion(case.model, to)
    if done.refused:
        done = conversion(_with_constants(case.model, inputs), to)
    if done.refused:
        return "refused", done.refused[0].reason
    try:
        checker.check_model(done.model, full_check=True)
        word = compared(wanted, _run(done.model, case.model, inputs))
    except Exception as error:  # of any class: it is what the command reports
        return "failed", str(error)[:300]
    return word, "" if word != "different" else "results differ"


def _run(model: ModelProto, original: ModelProto, inputs: list[Any]) -> list[Any]:
    return list(opmill.Model(model).run(_feeds(model, original, inputs)))


def _feeds(model: ModelProto, original: ModelProto, inputs: list[Any]) -> dict[str, Any]:
    names = {info.name for info in model.graph.input}
    values = zip(original.graph.input, inputs, strict=False)
    return {info.name: value for info, value in values if info.name in names}


def _with_constants(model: ModelProto, inputs: list[Any]) -> ModelProto:
    """The model with all inputs but the first as constants."""
    changed = ModelProto()
    changed.CopyFrom(model)
    changed.ir_version = max(changed.ir_version, 4)
    for info, value in list(zip(model.graph.input, inputs, strict=False))[1:]:
        if isinstance(value, np.ndarray):
            changed.graph.initializer.append(numpy_helper.from_array(value, info.name))
            changed.graph.input.remove(info)
    return changed
