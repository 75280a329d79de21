"""Calls of Clip: any shape, bounds that are there or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank

NUMBERS = (0.0, -1.0, 0.1, 6.0, 1e30, float("inf"), float("-inf"))


def legal(draw: Draw, *, inputs: Sequence[str], kinds: Mapping[str, str]) -> Call:
    """Bounds of rank 0 or 1, or numbers; now and then the lower one is above the other."""
    call = Call({"input": dims(draw, rank(draw))})
    for name in ("min", "max"):
        if name in inputs:
            call = call.but({name: choice(draw, ((), (1,), None))})
        elif happens(draw, 60):
            call = call.but(**{name: choice(draw, NUMBERS)})
    if "consumed_inputs" in kinds and happens(draw, 30):
        call = call.but(consumed_inputs=choice(draw, ([0], [], [1, 2])))
    return call


def illegal(draw: Draw, *, inputs: Sequence[str], kinds: Mapping[str, str]) -> Illegal:
    """Bounds of other shapes, or an attribute that there is not."""
    call = legal(draw, inputs=inputs, kinds=kinds)
    if "min" in inputs and happens(draw, 80):
        shape = choice(draw, ((2,), (0,), (1, 1), (3, 1), (*call.dims_of("input")[:63], 2)))
        return Illegal(call.but({choice(draw, ("min", "max")): shape}), "ShapeError")
    return Illegal(call.but(alpha=1), "AttributeValueError")
