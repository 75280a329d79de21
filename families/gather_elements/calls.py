"""Calls of GatherElements: indices of any length along the axis, else no longer than data."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, integer

OUTSIDE = (0, 1, 2**15, 2**30)
"""How far an index is beyond the end; some of them so far that narrow sums wrap around."""


def legal(draw: Draw) -> Call:
    """Indices in range; now and then one that the kernels must refuse."""
    source = dims(draw, choice(draw, (1, 2, 3, 4, 64)), 400)
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
    given = {"axis": axis} if axis != 0 or happens(draw, 20) else {}
    return Call({"data": source, "indices": Contents(tuple(shape), tuple(items))}, given)


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong that the shapes or the attribute show."""
    call = legal(draw)
    source, shape = call.dims_of("data"), list(call.dims_of("indices"))
    wrong = choice(draw, ("axis", "rank", "scalar", "longer"))
    if wrong == "axis":
        axis = choice(draw, (len(source), -len(source) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=axis), "AttributeValueError")
    if wrong == "scalar":
        changed = call.but({"data": (), "indices": Contents((), (0,))})
        return Illegal(changed, "AttributeValueError")
    if wrong == "longer" and len(source) > 1:
        other = (call.attributes.get("axis", 0) + 1) % len(source)
        shape = [1] * len(source)
        shape[other] = source[other] + 1
    else:
        shape = [1] * (len(source) - 1 if len(source) == 64 else len(source) + 1)
    changed = call.but({"indices": Contents(tuple(shape), (0,) * prod(shape))})
    return Illegal(changed, "ShapeError")
