"""Draws what is kept of a tensor, and what is added around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, Y = next(iter(inputs.values())), next(iter(outputs.values()))
    name, output_name = next(iter(inputs)), next(iter(outputs))
    begins = _begins(inputs, attributes, X.shape, Y.shape)
    if begins is None:
        return None
    mode = attributes.get("mode", "constant")

    inner = [
        range(max(0, -begin), min(dim, out - begin))
        for begin, dim, out in zip(begins, X.shape, Y.shape, strict=True)
    ]

    def inside(index: Index) -> bool:
        return all(i - begin in left for i, begin, left in zip(index, begins, inner, strict=True))

    def origin(index: Index) -> Origin | None:
        if not inside(index) and (mode == "constant" or not all(inner)):
            return None
        found = zip(index, begins, inner, strict=True)
        return name, tuple(
            left[0] + _copied(mode, i - begin - left[0], len(left)) for i, begin, left in found
        )

    output = Output(
        output_name,
        Y.shape,
        origin,
        filled=_filled(inputs, attributes),
        added=lambda index: not inside(index),
    )
    return moved({name: X}, [output], lambda name, index: index[-1] if index else 0)


def _begins(
    inputs: Arguments, attributes: Mapping[str, Any], before: Any, after: Any
) -> list[int] | None:
    """Number of elements that are added before each axis; fewer than 0 are removed."""
    rank = len(before)
    given = attributes.get("paddings", attributes.get("pads"))
    if given is not None:
        return list(given[:rank])
    if "mode" not in attributes:
        # What is in the middle is kept: an odd element is removed before, but added after it.
        differences = [b - a for a, b in zip(before, after, strict=True)]
        return [d // 2 if d >= 0 else -(-d // 2) for d in differences]
    pads, axes = inputs["pads"].integers, inputs.get("axes")
    named = range(rank) if axes is None else axes.integers
    if pads is None or named is None:
        return None
    begins = [0] * rank
    for k, axis in enumerate(named):
        begins[axis % rank] = pads[k]
    return begins


def _filled(inputs: Arguments, attributes: Mapping[str, Any]) -> Any:
    constant = inputs.get("constant_value", inputs.get("value"))
    if constant is not None and constant.elements:
        return constant.elements[0]
    data = next(iter(inputs.values()))
    of_strings = data.elements and isinstance(data.elements[0], str)
    return "" if of_strings else attributes.get("value", 0)


def _copied(mode: str, i: int, dim: int) -> int:
    """The position that a position before, on or after what is kept of an axis copies."""
    if mode == "edge":
        return min(max(i, 0), dim - 1)
    if mode == "wrap":
        return i % dim
    if mode == "reflect" and dim > 1:
        there_and_back = i % (2 * dim - 2)
        return min(there_and_back, 2 * dim - 2 - there_and_back)
    return i if mode == "constant" else 0
