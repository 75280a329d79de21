"""Slow reference of DepthToSpace and SpaceToDepth: where each pixel of the larger picture is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def channel(mode: str, block: int, depth: int, at: tuple[int, int, int]) -> int:
    """The channel of a pixel: its place in the depth, its row and its column in the block."""
    position, row, column = at
    if mode == "DCR":
        return (row * block + column) * depth + position
    return (position * block + row) * block + column


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, operation: str
) -> dict[str, Value]:
    data = inputs["input"]
    block = attributes["blocksize"]
    mode = attributes.get("mode", "DCR")
    batch, channels, height, width = data.shape
    if operation == "depth_to_space":
        depth = channels // (block * block)
        shape = (batch, depth, height * block, width * block)
        positions = [
            ravel(
                (n, channel(mode, block, depth, (c, y % block, x % block)), y // block, x // block),
                data.shape,
            )
            for n, c, y, x in indices(shape)
        ]
        return {"output": data.take(shape, positions)}
    shape = (batch, channels * block * block, height // block, width // block)
    positions = [0] * len(data.items)
    for at, (n, c, y, x) in enumerate(indices(data.shape)):
        position = channel(mode, block, channels, (c, y % block, x % block))
        positions[ravel((n, position, y // block, x // block), shape)] = at
    return {"output": data.take(shape, positions)}
