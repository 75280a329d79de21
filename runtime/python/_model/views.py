"""Nodes that pass elements on as they are: results share the memory of their input.

Kernels never write to their inputs, and a graph's outputs are never made this way, so that nobody
can tell. What is legal, and what shape it has, the operator version says itself, once for each
shape and type of the data where all other inputs are constants.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill._runtime.operator import Operator

_OPERATORS = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"})

_MIN_BYTES = 256 * 1024
"""Below this, copying takes no longer than finding out the shape."""

_MAX_SHAPES = 64
"""The number of shapes that a node remembers."""


def passes_elements(operator: Operator) -> bool:
    """Return whether an operator passes the elements of its first input on as they are."""
    return operator.schema.domain == "ai.onnx" and operator.schema.name in _OPERATORS


def view_of(operator: Operator, *, fixed: bool) -> Callable[..., Any] | None:
    """Return a replacement for ``operator.result`` that returns a view; ``None`` if there is none.

    Args:
        operator: the operator version.
        fixed: whether all inputs but the first are the same arrays in every call.
    """
    if not passes_elements(operator):
        return None
    copied = operator.result
    shapes: dict[tuple[tuple[int, ...], Any], tuple[int | None, ...]] = {}

    def result(inputs: Sequence[Any], attributes: Mapping[str, Any], out: None) -> Any:
        data = inputs[0] if inputs else None
        if type(data) is not np.ndarray:
            return copied(inputs, attributes, None)
        shape: Any = shapes.get((data.shape, data.dtype))
        if shape is None:
            if not (fixed or data.nbytes >= _MIN_BYTES) or not (
                data.flags.c_contiguous and data.flags.aligned and data.dtype.isnative
            ):
                return copied(inputs, attributes, None)
            shape = operator.infer(inputs, attributes, 1)[0].shape
            if fixed:
                if len(shapes) >= _MAX_SHAPES:
                    shapes.clear()
                shapes[data.shape, data.dtype] = shape
        return data.reshape(shape)

    return result
