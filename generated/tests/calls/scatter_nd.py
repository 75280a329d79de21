"""Calls of ScatterND: rows of indices that repeat, and the reductions of the version."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

OUTSIDE = (0, 1, 2**15, 2**30)
"""How far an index is beyond the end; some of them so far that narrow sums wrap around."""
WORDS = ("none", "add", "mul", "max", "min")
NUMBERS = (
    "float", "double", "float16", "bool", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bfloat16",
)  # fmt: skip
"""The types that every reduction combines."""


def legal(draw: Draw, *, attributes: frozenset[str], extremes: bool) -> Call:
    """Indices in range; now and then one that the kernels must refuse."""
    source = dims(draw, choice(draw, (1, 2, 3, 4, 5)), 200)
    width = integer(draw, 0, len(source))
    shape = dims(draw, choice(draw, (1, 0, 2)), 8)
    sizes = source[:width]
    if 0 in sizes and 0 not in shape and happens(draw, 80):
        shape = (*shape, 0)
    items = []
    for position in range(prod(shape) * width):
        size = sizes[position % width]
        items.append(integer(draw, -size, size - 1) if size else 0)
    if items and happens(draw, 8):
        position = integer(draw, 0, len(items) - 1)
        beyond = choice(draw, OUTSIDE)
        size = sizes[position % width]
        items[position] = size + beyond if happens(draw, 50) else -size - 1 - beyond
    given: dict[str, Any] = {}
    types = {}
    if "reduction" in attributes and happens(draw, 60):
        given["reduction"] = choice(draw, WORDS if extremes else WORDS[:3])
        types = {"T": choice(draw, NUMBERS)}
    indices = Contents((*shape, width), tuple(items))
    updates = (*shape, *source[width:])
    return Call({"data": source, "indices": indices, "updates": updates}, given, types)


def illegal(draw: Draw, *, attributes: frozenset[str], extremes: bool) -> Illegal:
    """A legal call with one thing wrong that the shapes or an attribute show."""
    call = legal(draw, attributes=attributes, extremes=extremes)
    source, updates = call.dims_of("data"), call.dims_of("updates")
    wrong = choice(draw, ("data", "indices", "many", "updates", "reduction"))
    if wrong == "reduction" and "reduction" in attributes:
        word = choice(draw, ("", "Add", "mean", *(() if extremes else ("max", "min"))))
        return Illegal(call.but(reduction=word), "AttributeValueError")
    if wrong == "data":
        changed = call.but({"data": ()})
    elif wrong == "indices":
        changed = call.but({"indices": Contents((), (0,))})
    elif wrong == "many":
        width = len(source) + 1
        indices = Contents((1, width), (0,) * width)
        changed = call.but({"indices": indices, "updates": (1,)})
    else:
        changed = call.but({"updates": (*updates, 1)})
    return Illegal(changed, "ShapeError")
