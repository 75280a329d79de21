"""NumPy's calls for the operators of ``cases_operators``: they write to ``out`` or return.

Products of matrices are left out: NumPy's library has threads of its own, whatever is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.cases_operators import Attribute
from benchmarks.clock import Call
from benchmarks.contenders import Array

Attributes = Mapping[str, Attribute]
Maker = Callable[[Sequence[Any], Attributes, Array], Call]


def _ufunc(function: Callable[..., Any]) -> Maker:
    def make(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
        return lambda: function(*inputs, out=out)

    return make


def _divide(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    function: Any = np.true_divide if out.dtype.kind == "f" else np.floor_divide
    return lambda: function(*inputs, out=out)


def _where(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    return lambda: np.where(*inputs)


def _gather(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    data, indices = inputs
    axis: Any = attributes["axis"]
    return lambda: np.take(data, indices, axis, out, "clip")


def _gather_elements(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    data, indices = inputs
    axis: Any = attributes["axis"]
    rows = data[: indices.shape[0]] if axis == 1 else data[:, : indices.shape[1]]
    return lambda: np.take_along_axis(rows, indices, axis)


def _cum_sum(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    return lambda: np.cumsum(inputs[0], int(inputs[1]), out=out)


def _arg_max(inputs: Sequence[Any], attributes: Attributes, out: Array) -> Call:
    axis: Any = attributes["axis"]
    return lambda: np.argmax(inputs[0], axis, out)


_UFUNCS = {
    "Abs": np.abs, "Ceil": np.ceil, "Floor": np.floor, "Neg": np.negative,
    "Reciprocal": np.reciprocal, "Round": np.rint, "Sign": np.sign, "Sqrt": np.sqrt, "Exp": np.exp,
    "Log": np.log, "Sin": np.sin, "Cos": np.cos, "Tan": np.tan, "Tanh": np.tanh, "Atan": np.arctan,
    "Sinh": np.sinh, "Mul": np.multiply, "Sub": np.subtract, "Max": np.maximum, "Less": np.less,
    "Pow": np.power,
}  # fmt: skip

MAKERS: dict[str, Maker] = {
    **{operator: _ufunc(function) for operator, function in _UFUNCS.items()},
    "ArgMax": _arg_max,
    "CumSum": _cum_sum,
    "Div": _divide,
    "Gather": _gather,
    "GatherElements": _gather_elements,
    "Where": _where,
}
