"""Calls of NonMaxSuppression: boxes on a coarse grid, so that overlaps and scores meet limits."""

from __future__ import annotations

from math import inf, nan, prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer

ODD = (nan, inf, -inf, -0.0, 3e38, 1e-30)
SCORES = (0.5, 0.25, 0.75, 0.0, 1.0, -1.0, 0.5, 0.625)


def one(draw: Draw, item: Any) -> Contents:
    return Contents((1,) if happens(draw, 60) else (), (item,))


def legal(draw: Draw) -> Call:
    """Few boxes of several classes; now and then odd numbers, or many boxes."""
    batches, classes = choice(draw, (1, 1, 2, 0)), choice(draw, (1, 2, 1, 3, 0))
    count = 40 if happens(draw, 5) else integer(draw, 0, 7)
    special = happens(draw, 20)
    sides = [integer(draw, 0, 12) / 4 for _ in range(batches * count * 4)]
    scores = [choice(draw, SCORES) for _ in range(batches * classes * count)]
    for items in (sides, scores):
        if special and items and happens(draw, 60):
            items[integer(draw, 0, len(items) - 1)] = choice(draw, ODD)
    inputs: dict[str, Any] = {
        "boxes": Contents((batches, count, 4), tuple(sides)),
        "scores": Contents((batches, classes, count), tuple(scores)),
        "max_output_boxes_per_class": None,
        "iou_threshold": None,
        "score_threshold": None,
    }
    if happens(draw, 90):
        limit = choice(draw, (count, 1, 2, 3, 2**63 - 1, 100, 0, -1, -(2**63)))
        inputs["max_output_boxes_per_class"] = one(draw, limit)
    if happens(draw, 80):
        inputs["iou_threshold"] = one(draw, choice(draw, (0.5, 0.25, 0.0, 1.0, 0.125)))
    if happens(draw, 50):
        inputs["score_threshold"] = one(draw, choice(draw, (0.375, 0.0, 0.5, -inf, inf, -2.0)))
    call = Call(inputs)
    return call.but(center_point_box=integer(draw, 0, 1)) if happens(draw, 60) else call


def zeros(*shape: int) -> Contents:
    return Contents(shape, (0.0,) * prod(shape))


def illegal(draw: Draw) -> Illegal:
    """Shapes that do not fit each other, thresholds that are none, another flag."""
    call = Call(
        {
            "boxes": zeros(2, 3, 4),
            "scores": zeros(2, 1, 3),
            "max_output_boxes_per_class": Contents((), (2,)),
            "iou_threshold": Contents((), (0.5,)),
            "score_threshold": Contents((), (0.5,)),
        }
    )
    wrong = choice(draw, ("flag", "boxes", "scores", "number", "overlap"))
    if wrong == "flag":
        return Illegal(call.but(center_point_box=choice(draw, (2, -1))), "AttributeValueError")
    changed: dict[str, Any]
    if wrong == "boxes":
        shapes = ((2, 3), (2, 3, 4, 1), (2, 3, 5), (2, 3, 3), (1, 3, 4), (2, 4, 4), (2, 0, 4))
        changed = {"boxes": zeros(*choice(draw, shapes))}
    elif wrong == "scores":
        changed = {"scores": zeros(*choice(draw, ((2, 3), (2, 1, 3, 1), (1, 1, 3), (2, 1, 2))))}
    elif wrong == "number":
        name = choice(draw, ("max_output_boxes_per_class", "iou_threshold", "score_threshold"))
        item = 1 if name == "max_output_boxes_per_class" else 1.0
        shape = choice(draw, ((2,), (0,), (1, 1)))
        changed = {name: Contents(shape, (item,) * prod(shape))}
    else:
        value = choice(draw, (1.5, -0.25, nan, inf, -inf))
        changed = {"iou_threshold": Contents((), (value,))}
    return Illegal(call.but(changed), "ShapeError")
