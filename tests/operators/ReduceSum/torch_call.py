"""ReduceSum in PyTorch's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from opmill.conformance._drawn import Drawn

Tensor = Any
Attributes = Mapping[str, Any]


def call(data: Tensor, *rest: Any) -> Tensor:
    """The sum along axes that an attribute or an input lists; without any PyTorch takes all."""
    *inputs, attributes = rest
    axes = inputs[0] if inputs else None
    named = attributes.get("axes", []) if axes is None else axes.tolist()
    every = range(0 if attributes.get("noop_with_empty_axes", 0) else data.ndim)
    reduces = tuple(named or every)
    if not reduces:
        return data
    keeps = bool(attributes.get("keepdims", 1))
    return torch.sum(data, reduces, keepdim=keeps, dtype=data.dtype)


def takes(drawn: Drawn) -> bool:
    """Types that PyTorch adds."""
    return drawn.inputs[0].dtype not in (np.uint32, np.uint64)
