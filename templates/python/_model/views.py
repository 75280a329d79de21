"""Nodes that pass elements on as they are: large results share the memory of their input.

Kernels never write to their inputs, and a graph's outputs are never made this way, so that nobody
can tell. What is legal, and what shape it has, the operator version says itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill._runtime.operator import Operator

_OPERATORS = frozenset({"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"})

_MIN_BYTES = 256 * 1024
"""Below this, copying takes no longer than finding out the shape."""


def view_of(operator: Operator) -> Callable[..., Any] | None:
    """What to call in place of ``operator.result``; ``None`` where elements must be computed."""
    if operator.schema.domain != "ai.onnx" or operator.schema.name not in _OPERATORS:
        return None
    copied = operator.result

    def result(inputs: Sequence[Any], attributes: Mapping[str, Any], out: None) -> Any:
        data = inputs[0] if inputs else None
        if (
            type(data) is not np.ndarray
            or data.nbytes < _MIN_BYTES
            or not (data.flags.c_contiguous and data.flags.aligned and data.dtype.isnative)
        ):
            return copied(inputs, attributes, None)
        shape: Any = operator.infer(inputs, attributes, 1)[0].shape
        return data.reshape(shape)

    return result
