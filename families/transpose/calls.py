"""Calls of Transpose: permutations, and lists that are none."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    permutation,
    rank,
)


def legal(draw: Draw) -> Call:
    """Any order of the axes; often some that stay neighbours."""
    shape = dims(draw, rank(draw))
    if happens(draw, 15):
        return Call({"data": shape})
    axes = list(range(len(shape)))
    if happens(draw, 40):
        first = integer(draw, 0, len(shape))
        axes = axes[first:] + axes[:first]
    else:
        axes = permutation(draw, axes)
    return Call({"data": shape}, {"perm": axes})


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong."""
    shape = dims(draw, integer(draw, 1, 4))
    axes = permutation(draw, range(len(shape)))
    position = integer(draw, 0, len(axes) - 1)
    wrong = choice(draw, ("short", "long", "range", "negative", "twice"))
    if wrong == "short":
        del axes[position]
    elif wrong == "long":
        axes.append(choice(draw, (0, len(axes))))
    elif wrong == "negative":
        axes[position] -= len(axes)
    elif wrong == "twice" and len(axes) > 1:
        axes[position] = axes[position - 1]
    else:
        axes[position] = choice(draw, (len(axes), 2**63 - 1, -(2**63), 2**32))
    return Illegal(Call({"data": shape}, {"perm": axes}), "AttributeValueError")
