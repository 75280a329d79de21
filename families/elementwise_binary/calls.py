"""Calls of operators on two tensors: shapes that broadcast, by either rule, and others."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from opmill_checks.drawing import (
    HUGE,
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)

DIVISIONS = frozenset({"div", "mod"})
"""The functions that refuse integers of 0 in B."""
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def legal(draw: Draw, *, attributes: frozenset[str], function: str, truncates_floats: bool) -> Call:
    """By NumPy's rule, or by that of early versions, which have the attribute `broadcast`."""
    if function == "prelu":
        return with_slope(draw)
    if function == "bit_shift":
        return with_places(draw, both_ways(draw))
    if function == "mod":
        return with_divisors(draw, with_fmod(draw, both_ways(draw), truncates_floats))
    call = one_way(draw) if "broadcast" in attributes else both_ways(draw)
    if "consumed_inputs" in attributes and happens(draw, 30):
        call = call.but(consumed_inputs=choice(draw, ([0, 0], [], [1])))
    return with_divisors(draw, call) if function in DIVISIONS else call


def with_divisors(draw: Draw, call: Call) -> Call:
    """Divisors that every type has; or any, among which are zeros."""
    if happens(draw, 8):
        return call
    shape = call.dims_of("B")
    items = tuple(integer(draw, 1, 9) for _ in range(prod(shape)))
    return call.but({"B": Contents(shape, items)})


def with_fmod(draw: Draw, call: Call, truncates_floats: bool) -> Call:
    """Either value of `fmod`; some versions refuse 0, the default, for floats."""
    if happens(draw, 50):
        return call.but(fmod=1)
    call = call.but(fmod=0) if happens(draw, 50) else call
    return replace(call, types={"T": choice(draw, INTEGERS)}) if truncates_floats else call


def with_places(draw: Draw, call: Call) -> Call:
    """To either side, mostly by places that some types have."""
    shape, call = call.dims_of("B"), Call({"X": call.dims_of("A"), "Y": call.dims_of("B")})
    call = call.but(direction=choice(draw, ("LEFT", "RIGHT")))
    if happens(draw, 20):
        return call
    items = tuple(integer(draw, 0, 66) for _ in range(prod(shape)))
    return call.but({"Y": Contents(shape, items)})


def both_ways(draw: Draw) -> Call:
    """An output shape first; either side may then have 1 for a dim, or lack axes in front."""
    result = dims(draw, rank(draw))
    sides: list[Dims] = []
    for _ in range(2):
        side = [1 if happens(draw, 25) else dim for dim in result]
        while side and happens(draw, 20):
            del side[0]
        sides.append(tuple(side))
    return Call({"A": sides[0], "B": sides[1]})


def with_slope(draw: Draw) -> Call:
    """A slope that has the last axes of X, or 1 in their place."""
    x = dims(draw, rank(draw))
    trailing = x[len(x) - integer(draw, 0, len(x)) :]
    return Call({"X": x, "slope": tuple(1 if happens(draw, 30) else dim for dim in trailing)})


def one_way(draw: Draw) -> Call:
    """The same shape twice; or B one element, or some adjacent axes of A, at the end if unsaid.

    Of these axes, B may have one position.
    """
    a = dims(draw, rank(draw))
    kind = choice(draw, ("same", "suffix", "axis", "one"))
    if kind == "same":
        return Call({"A": a, "B": a}, {"broadcast": 0} if happens(draw, 30) else {})
    if kind == "one":
        b = (1,) * integer(draw, 0, min(len(a), 3))
        return Call({"A": a, "B": b}, {"broadcast": 1})
    count = integer(draw, 0, len(a))
    first = len(a) - count if kind == "suffix" else integer(draw, 0, len(a) - count)
    b = tuple(1 if happens(draw, 20) else dim for dim in a[first : first + count])
    return Call({"A": a, "B": b}, {"broadcast": 1} | ({"axis": first} if kind == "axis" else {}))


def illegal(draw: Draw, *, attributes: frozenset[str], function: str) -> Illegal:
    """A legal call with one thing wrong."""
    if function == "prelu":
        x, slope = choice(draw, (((1,), (2,)), ((2, 3), (2, 2)), ((3,), (1, 3)), ((2, 5), (4,))))
        return Illegal(Call({"X": x, "slope": slope}), "ShapeError")
    if "broadcast" in attributes:
        return illegal_one_way(draw)
    call = both_ways(draw)
    a = call.dims_of("A")
    wrong = choice(draw, (2, 3, 5))
    other = wrong + choice(draw, (1, 2))
    call = call.but({"A": (*a[-20:], wrong), "B": (other,)})
    if function == "bit_shift":
        call = Call({"X": call.dims_of("A"), "Y": call.dims_of("B")}, {"direction": "LEFT"})
        if happens(draw, 40):
            other_way = choice(draw, ("left", "Right", "", "UP"))
            return Illegal(call.but(direction=other_way), "AttributeValueError")
    if function == "mod":
        call = call.but(fmod=1)
        if happens(draw, 40):
            return Illegal(call.but(fmod=choice(draw, (2, -1))), "AttributeValueError")
    return Illegal(call, "ShapeError")


def illegal_one_way(draw: Draw) -> Illegal:
    """Shapes that differ without `broadcast` or do not fit with it; an attribute out of range."""
    a = (*dims(draw, integer(draw, 0, 3), 300), 2, 3)
    wrong = choice(draw, ("shape", "rank", "dim", "one", "axis", "broadcast"))
    if wrong == "shape":
        return Illegal(Call({"A": a, "B": a[1:]}), "ShapeError")
    if wrong == "rank":
        return Illegal(Call({"A": a, "B": (1, *a, 2)}, {"broadcast": 1}), "ShapeError")
    if wrong == "dim":
        return Illegal(Call({"A": a, "B": (choice(draw, (2, 4)),)}, {"broadcast": 1}), "ShapeError")
    if wrong == "one":  # no dim of A gives way
        return Illegal(Call({"A": (1, 3), "B": (2, 3)}, {"broadcast": 1}), "ShapeError")
    if wrong == "axis":
        axis = choice(draw, (-1, len(a), HUGE[3]))
        call = Call({"A": a, "B": a[-1:]}, {"broadcast": 1, "axis": axis})
    else:
        call = Call({"A": a, "B": a}, {"broadcast": choice(draw, (-1, 2, HUGE[0]))})
    return Illegal(call, "AttributeValueError")
