"""Calls of MaxPool and NhwcMaxPool: those of any pooling."""

from __future__ import annotations

from opmill_checks import pools
from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, product


def legal(draw: Draw, *, rule: str, attributes: pools.Names) -> Call:
    """Padding given by pads or by auto_pad."""
    call = pools.legal(draw, attributes)
    return call if rule == "channels_first" else channels_last(draw, call)


def illegal(draw: Draw, *, rule: str, attributes: pools.Names) -> Illegal:
    """A legal call with one thing wrong."""
    wrong = pools.illegal(draw, attributes)
    if rule == "channels_first":
        return wrong
    return Illegal(channels_last(draw, wrong.call), wrong.raises)


def channels_last(draw: Draw, call: Call) -> Call:
    """The call with the channels of x as the last axis, now and then many of them."""
    x = call.dims_of("X")
    if len(x) >= 3:
        many = happens(draw, 30) and product(x) <= 30
        x = (x[0], *x[2:], choice(draw, (16, 33, 70)) if many else x[1])
    return Call({"x": x}, call.attributes)
