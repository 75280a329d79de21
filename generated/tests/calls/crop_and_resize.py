"""Calls of CropAndResize: regions inside, across the borders of, and beside the image."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer

SIZES = (2, 1, 3, 5, 4, 9)
"""Heights and widths of crops."""


def legal(draw: Draw) -> Call:
    """Corners in eighths, in any order; seldom an image that the kernels must refuse."""
    batch, channels = choice(draw, (1, 2, 3)), choice(draw, (1, 2, 3, 0))
    height, width = choice(draw, (4, 1, 6, 0)), choice(draw, (5, 1, 3, 8))
    count = choice(draw, (1, 2, 3, 0))
    corners = [integer(draw, -4, 12) / 8 for _ in range(4 * count)]
    if count and happens(draw, 8):
        corners[integer(draw, 0, 4 * count - 1)] = choice(draw, (math.nan, math.inf, -1e30))
    numbers = [integer(draw, 0, batch - 1) for _ in range(count)]
    if count and happens(draw, 10):
        numbers[integer(draw, 0, count - 1)] = choice(draw, (-1, 3, 2**30, -(2**31)))
    given: dict[str, object] = {}
    if happens(draw, 60):
        given["mode"] = choice(draw, ("bilinear", "nearest"))
    if happens(draw, 50):
        given["extrapolation_value"] = choice(draw, (0.0, 9.5, -1.25))
    return Call(
        {
            "X": (batch, channels, height, width),
            "rois": Contents((count, 4), tuple(corners)),
            "batch_indices": Contents((count,), tuple(numbers)),
            "crop_size": Contents((2,), (choice(draw, SIZES), choice(draw, SIZES))),
        },
        given,
    )


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not belong together, sizes below 1 and words that do not exist."""
    call = Call(
        {
            "X": (2, 1, 3, 3),
            "rois": Contents((1, 4), (0.0, 0.0, 1.0, 1.0)),
            "batch_indices": Contents((1,), (0,)),
            "crop_size": Contents((2,), (2, 2)),
        }
    )
    if happens(draw, 30):
        wrong = choice(draw, ("", "cubic", "Nearest", "linear"))
        return Illegal(call.but(None, mode=wrong), "AttributeValueError")
    changes: tuple[dict[str, Given], ...] = (
        {"X": (2, 3, 3)},
        {"X": (2, 1, 3, 3, 1)},
        {"X": (0, 1, 3, 3)},
        {"rois": Contents((4,), (0.0, 0.0, 1.0, 1.0))},
        {"rois": Contents((1, 3), (0.0, 0.0, 1.0))},
        {"rois": Contents((1, 5), (0.0,) * 5)},
        {"batch_indices": Contents((), (0,))},
        {"batch_indices": Contents((2,), (0, 0))},
        {"crop_size": Contents((1, 2), (2, 2))},
        {"crop_size": Contents((3,), (2, 2, 2))},
        {"crop_size": Contents((1,), (2,))},
        {"crop_size": Contents((2,), (0, 2))},
        {"crop_size": Contents((2,), (2, -1))},
    )
    return Illegal(call.but(choice(draw, changes)), "ShapeError")
