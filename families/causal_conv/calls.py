"""Calls of CausalConvWithState: sequences shorter and longer than the state, kernels of 1."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Given, Illegal, choice, happens, integer


def legal(draw: Draw) -> Call:
    """Any sizes, with and without a past."""
    batch, channels = choice(draw, (1, 2, 3)), choice(draw, (2, 1, 3))
    length, size = choice(draw, (3, 1, 2, 5)), choice(draw, (2, 3, 1, 4))
    if happens(draw, 8):
        length, size = integer(draw, 1, 700), integer(draw, 1, 9)
    if happens(draw, 8):
        size = integer(draw, 5, 40)
    if happens(draw, 15):
        empty = choice(draw, ("batch", "channels", "length"))
        batch = 0 if empty == "batch" else batch
        channels = 0 if empty == "channels" else channels
        length = 0 if empty == "length" else length
    given: dict[str, Any] = {}
    if happens(draw, 60):
        given["activation"] = choice(draw, ("silu", "swish", "none"))
    inputs: dict[str, Given] = {
        "input": (batch, channels, length),
        "weight": (channels, 1, size),
        "bias": (channels,) if happens(draw, 60) else None,
        "past_state": (batch, channels, size - 1) if happens(draw, 60) else None,
    }
    return Call(inputs, given)


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, an activation that there is not."""
    call = Call({"input": (2, 3, 5), "weight": (3, 1, 4), "bias": (3,), "past_state": (2, 3, 3)})
    shapes: dict[str, tuple[tuple[int, ...], ...]] = {
        "input": ((2, 3), (2, 4, 5), (2, 3, 5, 1), (1, 3, 5)),
        "weight": ((3, 4), (3, 2, 4), (2, 1, 4), (3, 1, 5), (3, 1, 0)),
        "bias": ((1,), (4,), (3, 1), ()),
        "past_state": ((2, 3, 4), (2, 3, 2), (1, 3, 3), (2, 3)),
    }
    if happens(draw, 20):
        word = choice(draw, ("", "SiLU", "relu", "None"))
        return Illegal(call.but(activation=word), "AttributeValueError")
    name = choice(draw, tuple(shapes))
    return Illegal(call.but({name: choice(draw, shapes[name])}), "ShapeError")
