"""Calls of the losses: classes of every sample, now and then one that the kernels must refuse."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

REDUCTIONS = ("mean", "none", "sum")


def names(from_scores: bool) -> tuple[str, str, str]:
    return ("scores", "labels", "weights") if from_scores else ("input", "target", "weight")


def legal(draw: Draw, *, from_scores: bool) -> Call:
    """All kinds of ignored classes; some calls have a class that there is not."""
    data, target, weight = names(from_scores)
    shape = dims(draw, choice(draw, (2, 3, 2, 4, 5)), 1500)
    classes = shape[1]
    sample = (shape[0], *shape[2:])
    attributes: dict[str, object] = {}
    if happens(draw, 80):
        attributes["reduction"] = choice(draw, REDUCTIONS)
    allowed = list(range(classes))
    if happens(draw, 60) or not classes:
        ignored = choice(draw, (0, -1, 255, max(classes - 1, 0), -(2**31), 2**31 - 1))
        attributes["ignore_index"] = ignored
        allowed = [*allowed[:20], *[ignored] * max(1, len(allowed[:20]) // 2)]
    items = [choice(draw, allowed) for _ in range(prod(sample))]
    if items and happens(draw, 8):
        wrong = choice(draw, (classes, -1, classes + 2**16, -classes - 1))
        items[integer(draw, 0, len(items) - 1)] = wrong
    inputs: dict[str, object] = {data: shape, target: Contents(sample, tuple(items))}
    inputs[weight] = (classes,) if happens(draw, 50) else None
    return Call(inputs, attributes)  # type: ignore[arg-type]


def illegal(draw: Draw, *, from_scores: bool) -> Illegal:
    """Shapes that do not fit each other, or another word."""
    data, target, weight = names(from_scores)
    call = Call({data: (2, 3, 4), target: Contents((2, 4), (0,) * 8), weight: None})
    wrong = choice(draw, ("word", "rank", "target", "dim", "weight", "weights"))
    if wrong == "word":
        return Illegal(call.but(reduction=choice(draw, ("", "Mean", "all"))), "AttributeValueError")
    if wrong == "rank":
        call = call.but({data: choice(draw, ((2,), (), (4,)))})
    elif wrong == "target":
        call = call.but({target: choice(draw, (Contents((2,), (0, 0)), Contents((), (0,))))})
    elif wrong == "dim":
        call = call.but({target: Contents((2, 3), (0,) * 6)})
    elif wrong == "weight":
        call = call.but({weight: choice(draw, ((2,), (4,), (0,), (1,)))})
    else:
        call = call.but({weight: choice(draw, ((3, 1), ()))})
    return Illegal(call, "ShapeError")
