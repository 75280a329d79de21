"""Examples of operators of other domains, moved to ONNX's own domain and compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, checker, helper

import opmill
from conversion_proof import values_of, with_constants
from conversion_results import compared
from opmill._convert.model import conversion
from opmill.conformance import Case, cases

STEP = 1
"""Maximum difference of quantised results, where rounding differs."""


@dataclass
class Freed:
    """Outcome of the examples of an operator at an opset."""

    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def freed(operator: str, opset: int, domain: str = "com.microsoft") -> Freed:
    """Replace the node of each example of an operator, in models of an opset, and compare."""
    done = Freed()
    for case in cases([operator], domain=domain, rejects=False):
        word, note = _judged(case, opset)
        done.counts[word] += 1
        if note:
            done.notes.append(f"{case.name}: {word}: {note}")
    return done


def _judged(case: Case, opset: int) -> tuple[str, str]:
    of_onnx = case.schema.domain_in_models == ""
    original = case.model(opset if of_onnx else None)
    wanted = _run(original, case)
    word, note = _compared(original, case, opset, wanted)
    for inputs in (slice(1, None), slice(None)):
        if word == "refused" and "expected a constant" in note:
            model = with_constants(original, case, inputs)
            word, note = _compared(model, case, opset, wanted)
    return word, note


def _compared(model: ModelProto, case: Case, opset: int, wanted: list[Any]) -> tuple[str, str]:
    ours = ModelProto()
    ours.CopyFrom(model)
    if not any(one.domain == "" for one in ours.opset_import):
        ours.opset_import.append(helper.make_opsetid("", opset))
    done = conversion(ours, domain="ai.onnx")
    if done.refused:
        return "refused", done.refused[0].reason
    assert [one.domain for one in done.model.opset_import] == [""]
    try:
        checker.check_model(done.model, full_check=True)
        found = _run(done.model, case)
    except (checker.ValidationError, onnx.shape_inference.InferenceError, opmill.Error) as error:
        return "invalid", str(error)[:300]
    word = compared(wanted, found, 1e-5)
    if word == "different" and _are_neighbours(wanted, found):
        return "neighbour", ""
    return word, f"{wanted} | {found}"[:400] if word == "different" else ""


def _are_neighbours(wanted: list[Any], found: list[Any]) -> bool:
    return all(
        isinstance(one, np.ndarray)
        and one.dtype.kind in "iu"
        and one.dtype == other.dtype
        and one.shape == other.shape
        and np.abs(one.astype(int) - other.astype(int)).max(initial=0) <= STEP
        for one, other in zip(wanted, found, strict=True)
    )


def _run(model: ModelProto, case: Case) -> list[Any]:
    values = values_of(case)
    constant = {one.name for one in model.graph.initializer}
    feeds = {i.name: values[i.name] for i in model.graph.input if i.name not in constant}
    return list(opmill.Model(model).run(feeds))
