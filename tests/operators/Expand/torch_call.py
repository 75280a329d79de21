"""Expand in PyTorch's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

Tensor = Any
Attributes = Mapping[str, Any]


def call(input: Tensor, shape: Tensor, attributes: Attributes) -> Tensor:
    return torch.broadcast_to(input, torch.broadcast_shapes(input.shape, tuple(shape.tolist())))
