"""Calls of GridSample: positions on, between and beside the elements of small images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

NUMBERS = ("float", "double", "float16", "int32", "uint8", "complex64")
"""Types that have weighted sums."""

FLOATS = ("float", "double", "float16")
"""Types of positions."""


def legal(draw: Draw, *, two_axes: bool, inputs: Sequence[str]) -> Call:
    """Coordinates in eighths, so that positions are exact in any type; some infinite or NaN."""
    images = inputs[1] == "Grid"  # of com.microsoft, whose positions have the type of the images
    two_axes = two_axes or images
    axes = 2 if two_axes else choice(draw, (2, 1, 3, 4))
    batch, channels = choice(draw, (1, 2, 0)), choice(draw, (1, 2, 3, 0))
    sizes = (2, 1, 3) if axes > 2 else (4, 1, 2, 3, 5, 8)
    image = (batch, channels, *(choice(draw, sizes) for _ in range(axes)))
    grid = (batch, *(choice(draw, (2, 1, 3, 0) if axes < 3 else (1, 2)) for _ in range(axes)), axes)
    items = []
    for _ in range(math.prod(grid)):
        number = integer(draw, -11, 11) / choice(draw, (8, 4))
        if happens(draw, 8):
            number = choice(draw, (8.0, -20.5, 60000.0, -60000.0, math.inf, -math.inf, math.nan))
        items.append(number)
    given: dict[str, object] = {}
    words = ("bilinear", "nearest", "bicubic") if two_axes else ("linear", "nearest", "cubic")
    mode = choice(draw, words)
    if mode != words[0] or happens(draw, 50):
        given["mode"] = mode
    if happens(draw, 70):
        given["padding_mode"] = choice(draw, ("zeros", "border", "reflection"))
    if happens(draw, 60):
        given["align_corners"] = choice(draw, (1, 0))
    if mode == words[2] and axes > 2:
        grid, items = (batch, *(1,) * axes, axes), items[: batch * axes]
        items += [0.25] * (math.prod(grid) - len(items))
    call = Call({"X": image, inputs[1]: Contents(grid, tuple(items))}, given)
    if images or mode != "nearest":
        types = FLOATS if images else NUMBERS
        call = replace(call, types={"T1": f"tensor({choice(draw, types)})"})
    return call


def illegal(draw: Draw, *, two_axes: bool, inputs: Sequence[str]) -> Illegal:
    """Shapes that do not belong together, and words that do not exist."""
    grid = inputs[1]
    two_axes = two_axes or grid == "Grid"
    call = Call({"X": (1, 1, 2, 3), grid: Contents((1, 1, 1, 2), (0.0, 0.0))})
    call = replace(call, types={"T1": "tensor(float)"})
    if happens(draw, 50):
        other = ("linear", "cubic") if two_axes else ("bilinear", "bicubic")
        name, value = choice(
            draw,
            (
                ("mode", choice(draw, (*other, "", "Nearest"))),
                ("padding_mode", choice(draw, ("", "edge", "zero"))),
                ("align_corners", choice(draw, (2, -1, 2**62))),
            ),
        )
        return Illegal(call.but(None, **{name: value}), "AttributeValueError")
    changes: tuple[dict[str, Given], ...] = (
        {"X": (1, 1)},
        {"X": (1, 1, 3)},
        {"X": (1, 1, 2, 2, 3)},
        {"X": (2, 1, 2, 3)},
        {"X": (1, 1, 0, 3)},
        {"X": (1, 1, 2, 0)},
        {grid: Contents((1, 1, 2), (0.0, 0.0))},
        {grid: Contents((1, 1, 1, 1), (0.0,))},
        {grid: Contents((1, 1, 1, 3), (0.0, 0.0, 0.0))},
        {grid: Contents((2, 1, 1, 2), (0.0,) * 4)},
    )
    return Illegal(call.but(choice(draw, changes)), "ShapeError")
