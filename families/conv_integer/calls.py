"""Calls of ConvInteger: every way to pad, groups, zero points, and each thing that can be wrong."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens
from opmill_checks.quantized_convolutions import convolution, spoiled


def legal(draw: Draw) -> Call:
    """A convolution with zero points or without: one for x, one or one for each map for w."""
    call = convolution(draw)
    maps = call.dims_of("w")[0]
    shapes: list[Dims] = [(), (1,), (maps,)]
    return call.but(
        {
            "x_zero_point": choice(draw, shapes[:2]) if happens(draw, 70) else None,
            "w_zero_point": choice(draw, shapes) if happens(draw, 70) else None,
        }
    )


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    call = legal(draw)
    if happens(draw, 70):
        return spoiled(draw, call)
    maps = call.dims_of("w")[0]
    shapes: list[Dims] = [(maps + 2,), (maps, 1), (1, 1)]
    name = choice(draw, ("x_zero_point", "w_zero_point"))
    return Illegal(call.but({name: choice(draw, shapes)}), "ShapeError")
