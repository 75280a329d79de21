"""Calls of QLinearConv: every way to pad, groups, scales, and each thing that can be wrong."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    happens,
    product,
)
from opmill_checks.quantized_convolutions import convolution, spoiled

SCALES = (1, 0.5, 0.1, 0.0066, 2, 1e-3, 3)


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Channels first, or last where the version has that attribute."""
    call = first(draw)
    if "channels_last" not in attributes or happens(draw, 25):
        return call
    flag = choice(draw, (1, 1, 1, 2, -1, 0))
    return channels_last(call, flag) if flag else call.but(channels_last=0)


def channels_last(call: Call, flag: int) -> Call:
    """The call with the channels of x as the last axis, which every flag but 0 means."""
    x = call.dims_of("x")
    moved = (x[0], *x[2:], x[1]) if len(x) >= 3 else x
    return call.but({"x": moved}, channels_last=flag)


def first(draw: Draw) -> Call:
    """One scale for x and y, one or one for each map for w; positive, now and then 0."""
    call = convolution(draw)
    maps = call.dims_of("w")[0]
    one: Dims = choice(draw, ((), (1,)))
    per_map: Dims = choice(draw, ((), (1,), (maps,)))
    return Call(
        {
            "x": call.dims_of("x"),
            "x_scale": scales(draw, one),
            "x_zero_point": one,
            "w": call.dims_of("w"),
            "w_scale": scales(draw, per_map),
            "w_zero_point": zeros(per_map) if happens(draw, 50) else per_map,
            "y_scale": scales(draw, one),
            "y_zero_point": one,
            "B": (maps,) if happens(draw, 50) else None,
        },
        call.attributes,
    )


def zeros(shape: Dims) -> Dims | Contents:
    """Zero points of 0, as most quantised weights have: kernels treat them apart."""
    return Contents(shape, (0,) * prod(shape)) if product(shape) <= 60 else shape


def scales(draw: Draw, shape: Dims) -> Dims | Contents:
    if 0 in shape or product(shape) > 60:
        return shape
    pool = (*SCALES, 0) if happens(draw, 5) else SCALES
    return Contents(shape, tuple(choice(draw, pool) for _ in range(product(shape))))


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """A legal call with one thing wrong."""
    wrong = first_wrong(draw)
    if "channels_last" not in attributes or happens(draw, 30):
        return wrong
    return Illegal(channels_last(wrong.call, 1), wrong.raises)


def first_wrong(draw: Draw) -> Illegal:
    """A call with one thing wrong, whose channels are the second axis."""
    call = first(draw)
    if happens(draw, 60):
        return spoiled(draw, call)
    maps = call.dims_of("w")[0]
    if happens(draw, 20):
        return Illegal(call.but({"B": choice(draw, ((maps + 1,), (maps, 1), ()))}), "ShapeError")
    shapes: list[Dims] = [(maps + 2,), (maps, 1), (1, 1)]
    name = choice(
        draw, ("x_scale", "x_zero_point", "w_scale", "w_zero_point", "y_scale", "y_zero_point")
    )
    return Illegal(call.but({name: choice(draw, shapes)}), "ShapeError")
