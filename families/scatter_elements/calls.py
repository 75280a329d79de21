"""Calls of ScatterElements and Scatter: indices that repeat, and the reductions of the version."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

OUTSIDE = (0, 1, 2**15, 2**30)
"""How far an index is beyond the end; some of them so far that narrow sums wrap around."""


def legal(draw: Draw, *, attributes: frozenset[str], extremes: bool) -> Call:
    """Indices in range; now and then one that the kernels must refuse."""
    source = dims(draw, choice(draw, (1, 2, 3, 4, 64)), 300)
    axis = integer(draw, -len(source), len(source) - 1)
    size = source[axis]
    shape = [dim if happens(draw, 70) else integer(draw, 0, dim) for dim in source]
    shape[axis] = choice(draw, (size, 1, 2, 5, 0)) if size or happens(draw, 20) else 0
    items = []
    for _ in range(prod(shape)):
        items.append(integer(draw, -size, size - 1) if size else 0)
    if items and happens(draw, 8):
        beyond = choice(draw, OUTSIDE)
        wrong = size + beyond if happens(draw, 50) else -size - 1 - beyond
        items[integer(draw, 0, len(items) - 1)] = wrong
    given: dict[str, Any] = {"axis": axis} if axis != 0 or happens(draw, 20) else {}
    types = {}
    if "reduction" in attributes and happens(draw, 60):
        given["reduction"] = choice(draw, WORDS if extremes else WORDS[:3])
        types = {"T": choice(draw, NUMBERS)}
    indices = Contents(tuple(shape), tuple(items))
    return Call({"data": source, "indices": indices, "updates": tuple(shape)}, given, types)


def illegal(draw: Draw, *, attributes: frozenset[str], extremes: bool) -> Illegal:
    """A legal call with one thing wrong that the shapes or an attribute show."""
    call = legal(draw, attributes=attributes, extremes=extremes)
    source, shape = call.dims_of("data"), call.dims_of("indices")
    wrong = choice(draw, ("axis", "rank", "scalar", "longer", "updates", "reduction"))
    if wrong == "axis":
        axis = choice(draw, (len(source), -len(source) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=axis), "AttributeValueError")
    if wrong == "scalar":
        changed = call.but({"data": (), "indices": Contents((), (0,)), "updates": ()})
        return Illegal(changed, "AttributeValueError")
    if wrong == "reduction" and "reduction" in attributes:
        word = choice(draw, ("", "Add", "mean", *(() if extremes else ("max", "min"))))
        return Illegal(call.but(reduction=word), "AttributeValueError")
    if wrong == "updates":
        return Illegal(call.but({"updates": (*shape[:-1], shape[-1] + 1)}), "ShapeError")
    if wrong == "longer" and len(source) > 1:
        other = (call.attributes.get("axis", 0) + 1) % len(source)
        changed_shape = [1] * len(source)
        changed_shape[other] = source[other] + 1
    else:
        changed_shape = [1] * (len(source) - 1 if len(source) == 64 else len(source) + 1)
    items = (0,) * prod(changed_shape)
    indices = Contents(tuple(changed_shape), items)
    changed = call.but({"indices": indices, "updates": tuple(changed_shape)})
    return Illegal(changed, "ShapeError")


WORDS = ("none", "add", "mul", "max", "min")
NUMBERS = (
    "float", "double", "float16", "bool", "int8", "int16", "int32", "int64",
    "uint8", "uint16", "uint32", "uint64", "bfloat16",
)  # fmt: skip
"""The types that every reduction combines."""
