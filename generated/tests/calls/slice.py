"""Calls of Slice: ends inside and outside of the axes, steps forward and backward."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Given,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    permutation,
    rank,
    vector,
)

NAMES = ("starts", "ends", "axes", "steps")


def end_of(draw: Draw, size: int, wide: bool) -> int:
    """A start or an end: near the axis, or as far from it as its type allows."""
    if happens(draw, 85):
        return integer(draw, -size - 2, size + 2)
    bits = 63 if wide else 31
    return choice(draw, (2**bits - 1, -(2**bits), 2**bits - 2, 1 - 2**bits))


def step_of(draw: Draw, wide: bool) -> int:
    """Mostly a short step, now and then one that leaves the axis."""
    bits = 63 if wide else 31
    return choice(draw, (1, -1, 2, -2, 3, -3, 7, 2**bits - 1, -(2**bits)))


def lists(draw: Draw, shape: tuple[int, ...], wide: bool) -> dict[str, list[int]]:
    """Starts, ends, and perhaps axes and steps."""
    count = len(shape)
    axes = permutation(draw, range(count))[: integer(draw, 0, min(count, 4))]
    given: dict[str, list[int]] = {}
    if happens(draw, 70):
        given["axes"] = [axis - count if happens(draw, 30) else axis for axis in axes]
    else:
        axes = list(range(len(axes)))
    given["starts"] = [end_of(draw, shape[axis], wide) for axis in axes]
    given["ends"] = [end_of(draw, shape[axis], wide) for axis in axes]
    if happens(draw, 70):
        given["steps"] = [step_of(draw, wide) for _ in axes]
    return given


def call_of(rule: str, shape: tuple[int, ...], given: dict[str, list[int]], wide: bool) -> Call:
    """The call as the version has it: with inputs or with attributes."""
    if rule == "attributes":
        attributes: dict[str, Any] = {k: v for k, v in given.items() if k != "steps"}
        return Call({"data": shape}, attributes)
    inputs: dict[str, Given] = {"data": shape}
    for name in NAMES:
        inputs[name] = vector(given[name]) if name in given else None
    return Call(inputs, types={"Tind": "int64" if wide else "int32"})


def legal(draw: Draw, *, rule: str) -> Call:
    """Any axes, each once."""
    shape = dims(draw, rank(draw))
    wide = rule == "attributes" or happens(draw, 60)
    return call_of(rule, shape, lists(draw, shape, wide), wide)


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """A legal call with one thing wrong."""
    shape = dims(draw, integer(draw, 1, 4))
    count = integer(draw, 1, len(shape))
    given = {
        "axes": list(range(count)),
        "starts": [0] * count,
        "ends": [2] * count,
        "steps": [1] * count,
    }
    own = ("zero", "matrix", "steps") if rule == "inputs" else ()
    wrong = choice(draw, ("ends", "axes", "range", "twice", "many", *own))
    position = integer(draw, 0, count - 1)
    if wrong in ("ends", "steps"):
        given[wrong].append(1)
    elif wrong == "axes":
        del given["axes"][position]
    elif wrong == "twice" and count > 1:
        given["axes"][position] = given["axes"][position - 1] - len(shape)
    elif wrong == "many":
        del given["axes"]
        given["starts"] = given["ends"] = given["steps"] = [1] * (len(shape) + 1)
    elif wrong == "zero":
        given["steps"][position] = 0
    else:
        given["axes"][position] = choice(draw, (len(shape), -len(shape) - 1, 2**31 - 1, -(2**31)))
    call = call_of(rule, shape, given, True)
    if wrong == "matrix":
        name = choice(draw, NAMES)
        call = call_of(rule, shape, {**given, "axes": list(range(count))}, True)
        items = call.items_of(name)
        call = call.but({name: Contents((1, len(items)), tuple(items))})
    return Illegal(call, "ShapeError" if rule == "inputs" else "AttributeValueError")
