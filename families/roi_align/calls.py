"""Calls of RoiAlign: regions inside, across the borders of, and beside the image."""

from __future__ import annotations

import math

from opmill_checks.drawing import Call, Contents, Draw, Given, Illegal, choice, happens, integer


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Corners in any order, in quarters of pixels; seldom one that the kernels must refuse.

    Images have pixels: where they have none, onnxruntime reads memory that is not theirs.
    """
    batch, channels = choice(draw, (1, 2, 3)), choice(draw, (1, 2, 3, 0))
    height, width = choice(draw, (4, 1, 6)), choice(draw, (5, 1, 3, 8))
    count = choice(draw, (1, 2, 3, 0))
    corners: list[float] = []
    for _ in range(count):
        region = [integer(draw, -12, 40) / choice(draw, (4, 1)) for _ in range(4)]
        if happens(draw, 60):
            region = [
                min(region[0], region[2]),
                min(region[1], region[3]),
                max(region[0], region[2]),
                max(region[1], region[3]),
            ]
        corners += region
    numbers = [integer(draw, 0, batch - 1) for _ in range(count)]
    if count and happens(draw, 10):
        corners[integer(draw, 0, 4 * count - 1)] = choice(draw, (math.nan, math.inf, -math.inf))
    if count and happens(draw, 10):
        numbers[integer(draw, 0, count - 1)] = choice(draw, (-1, 3, 2**40, -(2**63)))
    given: dict[str, object] = {}
    for name in ("output_height", "output_width"):
        if happens(draw, 80):  # powers of two: positions on the border are exact in any type
            given[name] = choice(draw, (2, 1, 4))
    if happens(draw, 70):
        given["sampling_ratio"] = choice(draw, (1, 0, 2, 3, 5))
    if happens(draw, 50):
        given["mode"] = choice(draw, ("max", "avg"))
    if happens(draw, 40):
        given["spatial_scale"] = choice(draw, (0.5, 0.25, 1.0, 2.0))
    if "coordinate_transformation_mode" in attributes and happens(draw, 60):
        given["coordinate_transformation_mode"] = choice(draw, ("output_half_pixel", "half_pixel"))
    inputs: dict[str, Given] = {
        "X": (batch, channels, height, width),
        "rois": Contents((count, 4), tuple(corners)),
        "batch_indices": Contents((count,), tuple(numbers)),
    }
    return Call(inputs, given)


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """Shapes and sizes that cannot be."""
    region = Contents((1, 4), (0.0, 0.0, 1.0, 1.0))
    call = Call({"X": (1, 1, 3, 3), "rois": region, "batch_indices": Contents((1,), (0,))})
    if happens(draw, 50):
        wrong: tuple[tuple[str, object], ...] = (
            ("mode", choice(draw, ("", "mean", "min"))),
            ("output_height", choice(draw, (0, -1, 2**31, 2**63 - 1))),
            ("output_width", choice(draw, (0, -1, 2**31, -(2**63)))),
            ("sampling_ratio", choice(draw, (-1, 65537, 2**63 - 1))),
        )
        if "coordinate_transformation_mode" in attributes:
            wrong += (("coordinate_transformation_mode", choice(draw, ("", "asymmetric"))),)
        name, value = choice(draw, wrong)
        return Illegal(call.but(None, **{name: value}), "AttributeValueError")
    changes: tuple[dict[str, Given], ...] = (
        {"X": (1, 3, 3)},
        {"X": (0, 1, 3, 3)},
        {"rois": Contents((4,), (0.0,) * 4)},
        {"rois": Contents((1, 5), (0.0,) * 5)},
        {"rois": Contents((2, 4), (0.0,) * 8)},
        {"batch_indices": Contents((), (0,))},
        {"batch_indices": Contents((1, 1), (0,))},
        {"batch_indices": Contents((2,), (0, 0))},
        {"batch_indices": Contents((0,), ())},
    )
    return Illegal(call.but(choice(draw, changes)), "ShapeError")
