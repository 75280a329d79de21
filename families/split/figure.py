"""Draws into which part each element of the input goes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    X, (name, parts) = inputs["input"], next(iter(outputs.items()))
    axis = attributes.get("axis", 0) % len(X.shape)
    shown = [(k, part) for k, part in enumerate(parts) if part.size]
    begins = [sum(part.shape[axis] for part in parts[:k]) for k in range(len(parts))]

    def part_of(begin: int) -> Any:
        def origin(index: Index) -> Origin:
            return "input", (*index[:axis], begin + index[axis], *index[axis + 1 :])

        return origin

    def tint(name: str, index: Index) -> int:
        return max(k for k, begin in enumerate(begins) if begin <= index[axis])

    drawn = [Output(f"{name}[{k}]", part.shape, part_of(begins[k])) for k, part in shown]
    return moved({"input": X}, drawn, tint)
