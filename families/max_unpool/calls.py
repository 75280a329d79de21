"""Calls of MaxUnpool: small windows, any indices of the range, now and then one outside."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer, vector


def legal(draw: Draw) -> Call:
    """Up to four spatial axes; some outputs are larger than needed."""
    axes = choice(draw, (2, 1, 2, 3, 4))
    shape = [choice(draw, (1, 2, 0)), choice(draw, (1, 2, 1, 3))]
    kernel, strides, pads, counted = [], [], [0] * (2 * axes), list(shape)
    for axis in range(axes):
        length = choice(draw, (2, 1, 3, 2)) if axis < 2 else choice(draw, (1, 2))
        kernel.append(choice(draw, (2, 1, 3)))
        strides.append(choice(draw, (1, 2, 3)))
        extent = (length - 1) * strides[-1] + kernel[-1]
        for end in (axis, axes + axis):
            if extent > 1 and happens(draw, 30):
                pads[end] = 1
                extent -= 1
        shape.append(length)
        counted.append(extent)
    attributes: dict[str, Any] = {"kernel_shape": kernel, "strides": strides, "pads": pads}
    if not any(pads) and happens(draw, 50):
        del attributes["pads"]
    if strides == [1] * axes:
        del attributes["strides"]
    wanted = None
    if happens(draw, 40):
        counted = [dim + (choice(draw, (0, 1, 2)) if dim else 0) for dim in counted]
        wanted = vector(counted)
    size = prod(counted)
    items = [integer(draw, 0, size - 1) for _ in range(prod(shape))]
    if items and happens(draw, 10):
        wrong = choice(draw, (-1, size, -size, 2**63 - 1, -(2**63)))
        items[integer(draw, 0, len(items) - 1)] = wrong
    inputs = {"X": tuple(shape), "I": Contents(tuple(shape), tuple(items)), "output_shape": wanted}
    return Call(inputs, attributes)


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, windows that are none."""
    indices = Contents((1, 1, 2, 2), (0, 1, 2, 3))
    call = Call(
        {"X": (1, 1, 2, 2), "I": indices, "output_shape": vector([1, 1, 4, 4])},
        {"kernel_shape": [2, 2], "strides": [2, 2]},
    )
    wrong = choice(draw, ("X", "I", "output", "kernel", "strides", "pads", "extent"))
    if wrong == "X":
        x = choice(draw, ((1, 1, 2), (1, 1, 2, 3), (2, 1, 2, 2), (1, 1, 2, 2, 1), (2, 2)))
        return Illegal(call.but({"X": x}), "ShapeError")
    if wrong == "I":
        shape = choice(draw, ((1, 1, 4), (4,), (1, 1, 1, 4), (1, 4, 1, 1)))
        return Illegal(call.but({"I": Contents(shape, (0, 1, 2, 3))}), "ShapeError")
    if wrong == "output":
        dims = choice(draw, ((1, 1, 3, 4), (4, 4), (1, 1, 4, -4), (0, 1, 4, 4), (1, 1, 4, 4, 1)))
        return Illegal(call.but({"output_shape": vector(dims)}), "ShapeError")
    if wrong == "extent":
        return Illegal(call.but({"output_shape": None}, pads=[2, 0, 2, 0]), "ShapeError")
    lists = {
        "kernel": ("kernel_shape", ([2], [2, 0], [2, -1], [2, 2, 2], [])),
        "strides": ("strides", ([2], [2, 0], [-1, 2], [1, 1, 1])),
        "pads": ("pads", ([0, 0], [0, 0, 0, -1], [0] * 5)),
    }
    name, values = lists[wrong]
    return Illegal(call.but(**{name: list(choice(draw, values))}), "AttributeValueError")
