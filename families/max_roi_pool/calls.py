"""Calls of MaxRoiPool: regions inside, across the borders of, and beside the image."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer


def legal(draw: Draw) -> Call:
    """Corners in any order, now and then halves; seldom one that the kernels must refuse."""
    batch, channels = choice(draw, (1, 2, 3)), choice(draw, (1, 2, 3, 0))
    height, width = choice(draw, (4, 1, 6, 0)), choice(draw, (5, 1, 3, 8, 0))
    count = choice(draw, (1, 2, 3, 0))
    items: list[float] = []
    for _ in range(count):
        corners = [integer(draw, -3, 18) / choice(draw, (1, 2)) for _ in range(4)]
        if happens(draw, 60):
            corners = [
                min(corners[0], corners[2]),
                min(corners[1], corners[3]),
                max(corners[0], corners[2]),
                max(corners[1], corners[3]),
            ]
        items += [float(integer(draw, 0, batch - 1)), *corners]
    if items and happens(draw, 15):
        position = integer(draw, 0, len(items) - 1)
        wrong = (math.nan, math.inf, -math.inf) if position % 5 else (-1.0, 3.0, 0.5, math.nan)
        items[position] = choice(draw, wrong)
    given: dict[str, object] = {"pooled_shape": [choice(draw, (2, 1, 4)) for _ in range(2)]}
    if happens(draw, 40):
        given["spatial_scale"] = choice(draw, (0.5, 0.25, 1.0, 2.0))
    rois = Contents((count, 5), tuple(items))
    return Call({"X": (batch, channels, height, width), "rois": rois}, given)


def illegal(draw: Draw) -> Illegal:
    """Shapes and sizes that cannot be."""
    region = Contents((1, 5), (0.0, 0.0, 0.0, 1.0, 1.0))
    call = Call({"X": (1, 1, 3, 3), "rois": region}, {"pooled_shape": [2, 2]})
    if happens(draw, 40):
        wrong = choice(draw, ([2], [2, 2, 2], [], [0, 2], [2, -1], [2**31, 1], [2, 2**63 - 1]))
        return Illegal(call.but(pooled_shape=wrong), "AttributeValueError")
    changes: tuple[dict[str, Given], ...] = (
        {"X": (1, 3, 3)},
        {"X": (0, 1, 3, 3)},
        {"rois": Contents((5,), (0.0,) * 5)},
        {"rois": Contents((1, 4), (0.0,) * 4)},
        {"rois": Contents((1, 6), (0.0,) * 6)},
    )
    return Illegal(call.but(choice(draw, changes)), "ShapeError")
