"""Tile in PyTorch's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

Tensor = Any
Attributes = Mapping[str, Any]


def call(input: Tensor, *rest: Any) -> Tensor:
    """By a count for each axis, or by one count and its axis."""
    *given, _ = rest
    if len(given) == 1:
        return torch.tile(input, tuple(given[0].tolist()))
    tiles, axis = given
    counts = [1] * input.ndim
    counts[int(axis.item())] = int(tiles.item())
    return torch.tile(input, tuple(counts))
