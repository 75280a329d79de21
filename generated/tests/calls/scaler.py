"""Calls of Scaler: any shape of rank 1 or more, lists of one value or of one for each feature."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, rank

VALUES = (0.0, 1.0, -2.5, 0.1, 3.0e5, 1.0e-30)


def legal(draw: Draw) -> Call:
    """Both lists, one of them, or none."""
    shape = dims(draw, max(rank(draw), 1))
    length = choice(draw, (1, shape[-1]))
    given: dict[str, Any] = {
        name: [choice(draw, VALUES) for _ in range(length)]
        for name in ("offset", "scale")
        if happens(draw, 80) and length
    }
    return Call({"X": shape}, given)


def illegal(draw: Draw) -> Illegal:
    """A scalar, a list of another length, or lists of two lengths."""
    call = legal(draw)
    features = call.dims_of("X")[-1]
    if happens(draw, 20):
        return Illegal(call.but({"X": ()}), "ShapeError")
    name = choice(draw, ("offset", "scale"))
    if features > 1 and happens(draw, 30):
        both = {"offset": [1.0] * features, "scale": [1.0] * features, name: [2.0]}
        return Illegal(call.but(**both), "AttributeValueError")
    length = features + integer(draw, 2, 4)
    return Illegal(call.but(**{name: [1.0] * length}), "AttributeValueError")
