"""Calls of TopK: any axis, and as many elements of it as there are, or fewer."""

from __future__ import annotations

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    vector,
)

Names = frozenset[str]


def legal(draw: Draw, *, inputs: Names, attributes: Names) -> Call:
    """Few elements, none, or all of the axis."""
    shape = dims(draw, choice(draw, (1, 2, 3, 4, 64)), 500)
    axis = integer(draw, -len(shape), len(shape) - 1)
    size = shape[axis]
    count = choice(draw, (min(size, 1), size, integer(draw, 0, size)))
    given = {"axis": axis}
    for name in ("largest", "sorted"):
        if name in attributes and happens(draw, 60):
            given[name] = integer(draw, 0, 1)
    if axis in (-1, len(shape) - 1) and happens(draw, 40):
        del given["axis"]
    if "K" not in inputs:
        return Call({"X": shape}, {**given, "k": count})
    return Call({"X": shape, "K": vector([count])}, given)


def illegal(draw: Draw, *, inputs: Names, attributes: Names) -> Illegal:
    """A scalar, an axis out of range, too many elements, another flag, a K of another shape."""
    call = legal(draw, inputs=inputs, attributes=attributes)
    shape = call.dims_of("X")
    size = shape[call.attributes.get("axis", -1)]
    wrong = ["scalar", "axis", "count"]
    if "K" in inputs:
        wrong.append("K")
    if "largest" in attributes:
        wrong.append("flag")
    what = choice(draw, wrong)
    if what == "scalar":
        return Illegal(call.but({"X": ()}), "AttributeValueError")
    if what == "axis":
        axis = choice(draw, (len(shape), -len(shape) - 1, 2**63 - 1, -(2**63)))
        return Illegal(call.but(axis=axis), "AttributeValueError")
    if what == "flag":
        name = choice(draw, ("largest", "sorted"))
        return Illegal(call.but(**{name: choice(draw, (2, -1, 2**40))}), "AttributeValueError")
    if what == "K":
        other = choice(draw, (vector([]), vector([0, 0]), Contents((), (0,))))
        return Illegal(call.but({"K": other}), "ShapeError")
    count = choice(draw, (size + 1, -1, 2**63 - 1, -(2**63)))
    if "K" in inputs:
        return Illegal(call.but({"K": vector([count])}), "ShapeError")
    return Illegal(call.but(k=count), "AttributeValueError")
