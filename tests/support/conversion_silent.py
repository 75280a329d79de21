"""Reproductions of silent differences: a small model without inputs, in ONNX's text syntax."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import ModelProto, numpy_helper, parser, printer

import opmill
from conversion_onnx import HungError, RefusedError, converter
from conversion_results import compared

MAX_TEXT = 160
"""Maximum number of characters of results that are recorded."""


def reproduction(model: ModelProto, values: Mapping[str, Any], opset: int) -> dict[str, Any] | None:
    """Return a model as text that ONNX's converter changes silently; ``None`` if it does not.

    Args:
        model: a model that is known to be changed.
        values: the values of its inputs, which become constants.
        opset: the opset to convert it to.
    """
    closed = ModelProto()
    closed.CopyFrom(model)
    closed.ir_version = max(closed.ir_version, 4)
    closed.ClearField("producer_name")
    del closed.graph.input[:]
    for info in model.graph.input:
        if not isinstance(values[info.name], np.ndarray):
            return None
        closed.graph.initializer.append(numpy_helper.from_array(values[info.name], info.name))
    text = printer.to_text(closed)
    try:
        before, after = results(text, opset)
    except (opmill.Error, RefusedError, HungError, parser.ParseError, onnx.checker.ValidationError):
        return None
    if compared(before, after) != "different":
        return None
    return {"to": opset, "model": text, "before": written(before), "after": written(after)}


def results(text: str, opset: int) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the results of a model before and after ONNX's conversion to an opset."""
    model = parser.parse_model(text)
    converted = converter().convert(model, opset)
    onnx.checker.check_model(converted, full_check=True)
    return opmill.Model(model).run({}), opmill.Model(converted).run({})


def written(values: Sequence[Any]) -> str:
    """Results as text, cut off where they are long."""
    text = " | ".join(map(_written, values))
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."


def _written(value: Any) -> str:
    array = np.asarray(value)
    if array.dtype.kind == "V" or array.dtype == ml_dtypes.bfloat16:
        array = array.astype(np.float32)
    return f"{value.dtype}{list(array.shape)} {array.ravel().tolist()}"
