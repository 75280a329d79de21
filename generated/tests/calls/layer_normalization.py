"""Calls of normalisations of rows: any rows, scales that broadcast."""

from __future__ import annotations

from collections.abc import Sequence

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, rank


def operand(draw: Draw, shape: Dims, axis: int) -> Dims:
    """A shape that broadcasts: mostly that of a row."""
    trailing = shape[axis:] if happens(draw, 60) else shape[integer(draw, 0, len(shape)) :]
    return tuple(1 if happens(draw, 10) else dim for dim in trailing)


STASH_TYPES = {"layer": (1, 16), "rms": (1, 10, 11, 16), "simplified": (1,)}


def legal(draw: Draw, *, rule: str, inputs: Sequence[str]) -> Call:
    """An axis from either end, now and then another type to compute in."""
    shape = dims(draw, max(rank(draw), 1))
    axis = integer(draw, 0, len(shape) - 1)
    if rule == "simplified":
        shape = (*shape[:axis], *(max(dim, 1) for dim in shape[axis:]))
    layer = "B" in inputs
    scale = "Scale" if layer else "scale"
    call = Call({"X": shape, scale: operand(draw, shape, axis)})
    if layer:
        call = call.but({"B": operand(draw, shape, axis) if happens(draw, 60) else None})
    if axis != len(shape) - 1 or happens(draw, 50):
        call = call.but(axis=axis - choice(draw, (0, len(shape))))
    if happens(draw, 20):
        call = call.but(stash_type=choice(draw, STASH_TYPES[rule]))
    return call.but(epsilon=0.25) if happens(draw, 20) else call


def illegal(draw: Draw, *, rule: str, inputs: Sequence[str]) -> Illegal:
    """An axis or a type that there is not, a scale that does not broadcast, or an empty row."""
    call = legal(draw, rule=rule, inputs=inputs)
    shape = call.dims_of("X")
    if rule == "simplified" and happens(draw, 20):
        return Illegal(call.but({"X": (*shape[:-1], 0), "scale": (1,)}), "ShapeError")
    scale = "Scale" if "B" in inputs else "scale"
    if happens(draw, 40):
        low, high = -len(shape) - 1, len(shape)
        return Illegal(call.but(axis=choice(draw, (high, low, 2**63 - 1))), "AttributeValueError")
    if happens(draw, 40):
        return Illegal(call.but(stash_type=choice(draw, (0, 7, -1))), "AttributeValueError")
    longer = (1, *shape) if len(shape) < 64 else (shape[-1] + 2,)
    wrong = choice(draw, (longer, (*shape[:-1], shape[-1] + 2), (shape[-1] + 2,)))
    return Illegal(call.but({scale: wrong}), "ShapeError")
