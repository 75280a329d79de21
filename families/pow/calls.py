"""Calls of Pow: shapes that broadcast, by either rule, and others."""

from __future__ import annotations

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, rank


def legal(draw: Draw, *, rule: str) -> Call:
    """By NumPy's rule, or with the attributes `broadcast` and `axis`."""
    return one_way(draw) if rule == "legacy" else both_ways(draw)


def both_ways(draw: Draw) -> Call:
    """An output shape first; either side may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw), 300)
    sides: list[Dims] = []
    for _ in range(2):
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        sides.append(tuple(side))
    return Call({"X": sides[0], "Y": sides[1]})


def one_way(draw: Draw) -> Call:
    """The same shape twice, one element, or some adjacent axes of X, the last ones if unsaid."""
    x = dims(draw, rank(draw), 300)
    kind = choice(draw, ("same", "suffix", "axis", "one"))
    if kind == "same":
        return Call({"X": x, "Y": x}, {"broadcast": 0} if happens(draw, 30) else {})
    if kind == "one":
        return Call({"X": x, "Y": (1,) * integer(draw, 0, min(len(x), 3))}, {"broadcast": 1})
    count = integer(draw, 0, len(x))
    first = len(x) - count if kind == "suffix" else integer(draw, 0, len(x) - count)
    y = x[first : first + count]
    return Call({"X": x, "Y": y}, {"broadcast": 1} | ({"axis": first} if kind == "axis" else {}))


def illegal(draw: Draw, *, rule: str) -> Illegal:
    """Dims that differ; without the attribute, in early versions, any other shape."""
    wrong = choice(draw, (2, 3, 5))
    call = Call({"X": (4, wrong), "Y": (wrong + choice(draw, (1, 2)),)})
    if rule == "legacy":
        if happens(draw, 30):
            return Illegal(call.but(broadcast=choice(draw, (2, -1))), "AttributeValueError")
        call = call.but(broadcast=1) if happens(draw, 50) else call
    return Illegal(call, "ShapeError")
