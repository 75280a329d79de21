"""Draws where each of the inputs lies in the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.figures.moved import LEGEND as LEGEND
from opmill_gen.figures.moved import Index, Origin, Output, moved
from opmill_gen.figures.svg import Arguments


def figure(inputs: Arguments, attributes: Mapping[str, Any], outputs: Arguments) -> str | None:
    """The picture of a call as SVG; ``None`` where its tensors are too large to be drawn."""
    tensors, Y = inputs["inputs"], outputs["concat_result"]
    named = {f"inputs[{k}]": tensor for k, tensor in enumerate(tensors) if tensor.size}
    axis = attributes.get("axis", 1) % len(Y.shape)

    def origin(index: Index) -> Origin:
        along = index[axis]
        for name, tensor in named.items():
            if along < tensor.shape[axis]:
                return name, (*index[:axis], along, *index[axis + 1 :])
            along -= tensor.shape[axis]
        raise IndexError(index)

    order = list(named)
    return moved(
        named,
        [Output("concat_result", Y.shape, origin)],
        lambda name, index: order.index(name),
    )
