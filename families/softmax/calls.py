"""Calls of Softmax and its kin: any shape of rank 1 or more, any axis, counted from either end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw, *, lines: str) -> Call:
    """An axis of its own, or the default where the tensor has that axis."""
    shape = dims(draw, max(rank(draw), 1))
    call = Call({"input": shape})
    if happens(draw, 30) and (lines == "one_axis" or len(shape) > 1):
        return call
    return call.but(axis=integer(draw, -len(shape), len(shape) - 1))


def illegal(draw: Draw) -> Illegal:
    """An axis out of range, a scalar, or an attribute that there is not."""
    shape = (2, *dims(draw, 2))
    if happens(draw, 20):
        return Illegal(
            Call({"input": ()}, {"axis": choice(draw, (0, -1, 1))}), "AttributeValueError"
        )
    attributes: Mapping[str, Any] = choice(
        draw,
        ({"axis": 3}, {"axis": -4}, {"axis": 2**63 - 1}, {"axis": -(2**63)}, {"axes": [0]}),
    )
    return Illegal(Call({"input": shape}, attributes), "AttributeValueError")
