"""Calls of Gelu with a bias: any shape with a last axis, and a vector for that axis."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import Call, Draw, Illegal, dims, happens, integer, rank


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """The bias of FastGelu is absent now and then."""
    shape = dims(draw, max(rank(draw), 1), 200)
    call = Call({inputs[0]: shape, inputs[1]: shape[-1:]})
    return call.but({"bias": None}) if inputs[1] == "bias" and happens(draw, 30) else call


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """A scalar, a bias of another length, or one that is no vector."""
    call = legal(draw, inputs=inputs)
    length = call.dims_of(inputs[0])[-1]
    if happens(draw, 30):
        return Illegal(call.but({inputs[0]: (), inputs[1]: (1,)}), "ShapeError")
    wrong = (length + integer(draw, 1, 3),) if happens(draw, 60) else (1, length)
    return Illegal(call.but({inputs[1]: wrong}), "ShapeError")
