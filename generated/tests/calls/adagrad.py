"""Calls of Adagrad: one to three tensors, with what belongs to them."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    Several,
    choice,
    dims,
    happens,
    rank,
)

GROUP = 3
NAMES = ("decay_factor", "epsilon", "norm_coefficient")
ITEMS = (0.0, 1.0, -0.5, 0.001, 30.0)


def legal(draw: Draw) -> Call:
    """A rate, a count of steps, and groups of tensors."""
    shapes = [dims(draw, min(rank(draw), 4), 40) for _ in range(choice(draw, (1, 2, 3)))]
    tensors: Several = []
    for part in range(GROUP):
        for shape in shapes:
            items = [choice(draw, ITEMS) for _ in range(prod(shape))]
            states = [abs(item) for item in items] if part > 1 else items
            tensors.append(Contents(shape, tuple(states)))
    given: dict[str, Any] = {
        name: choice(draw, (0.0, 0.5, 0.001)) for name in NAMES if happens(draw, 50)
    }
    one = choice(draw, ((), (1,)))
    rate = Contents(one, (choice(draw, (0.1, 0.0, 1.0)),))
    step = Contents(one, (choice(draw, (0, 1, 7, -1)),))
    count = len(shapes) * (GROUP - 1)
    return Call({"R": rate, "T": step, "inputs": tensors}, given, outputs=count)


def illegal(draw: Draw) -> Illegal:
    """A rate or a count that is no scalar, a tensor too many, or one of another shape."""
    call = legal(draw)
    wrong: Any = choice(
        draw,
        (
            {"R": (2,)},
            {"T": (0,)},
            {"inputs": [(2,)] * (GROUP + 1)},
            {"inputs": [(2,)] * (GROUP - 1) + [(3,)]},
            {"inputs": [(2,)] * (GROUP - 1) + [(2, 1)]},
        ),
    )
    return Illegal(call.but(wrong), "ShapeError")
