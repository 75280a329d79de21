"""Calls of LayerNormalization and RMSNormalization: any rows, scales that broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, rank


def operand(draw: Draw, shape: Dims, axis: int) -> Dims:
    """A shape that broadcasts: mostly that of a row."""
    trailing = shape[axis:] if happens(draw, 60) else shape[integer(draw, 0, len(shape)) :]
    return tuple(1 if happens(draw, 10) else dim for dim in trailing)


def legal(draw: Draw, *, inputs: Sequence[str]) -> Call:
    """An axis from either end, now and then another type to compute in."""
    shape = dims(draw, max(rank(draw), 1))
    axis = integer(draw, 0, len(shape) - 1)
    layer = "B" in inputs
    scale = "Scale" if layer else "scale"
    call = Call({"X": shape, scale: operand(draw, shape, axis)})
    if layer:
        call = call.but({"B": operand(draw, shape, axis) if happens(draw, 60) else None})
    if axis != len(shape) - 1 or happens(draw, 50):
        call = call.but(axis=axis - choice(draw, (0, len(shape))))
    if happens(draw, 20):
        call = call.but(stash_type=choice(draw, (1, 16) if layer else (1, 10, 11, 16)))
    return call.but(epsilon=0.25) if happens(draw, 20) else call


def illegal(draw: Draw, *, inputs: Sequence[str]) -> Illegal:
    """An axis or a type that there is not, or a scale that does not broadcast."""
    call = legal(draw, inputs=inputs)
    shape = call.dims_of("X")
    scale = "Scale" if "B" in inputs else "scale"
    if happens(draw, 40):
        low, high = -len(shape) - 1, len(shape)
        return Illegal(call.but(axis=choice(draw, (high, low, 2**63 - 1))), "AttributeValueError")
    if happens(draw, 40):
        return Illegal(call.but(stash_type=choice(draw, (0, 7, -1))), "AttributeValueError")
    longer = (1, *shape) if len(shape) < 64 else (shape[-1] + 1,)
    wrong = choice(draw, (longer, (*shape[:-1], shape[-1] + 2), (shape[-1] + 2,)))
    return Illegal(call.but({scale: wrong}), "ShapeError")
