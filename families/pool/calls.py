"""Calls of pools that average or take a p-norm: those of any pooling, and what p may be."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks import pools
from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens


def legal(draw: Draw, *, rule: str, attributes: pools.Names, kinds: Mapping[str, str]) -> Call:
    """Padding given by pads or by auto_pad; one window over planes that are not empty."""
    if rule.startswith("global"):
        outer, inner = dims(draw, 2), dims(draw, choice(draw, (2, 1, 3, 0, 5)), 300)
        call = Call({"X": (*outer, *(max(dim, 1) for dim in inner))})
    else:
        call = pools.legal(draw, attributes)
    if "p" in attributes and happens(draw, 60):
        powers = (1, 3, 2, 4, 7)
        p = choice(draw, (*map(float, powers), 1.5, 2.5) if kinds["p"] == "FLOAT" else powers)
        return call.but(p=p)
    return call


def illegal(draw: Draw, *, rule: str, attributes: pools.Names, kinds: Mapping[str, str]) -> Illegal:
    """A legal call with one thing wrong."""
    if "p" in attributes and happens(draw, 20):
        call = legal(draw, rule=rule, attributes=attributes, kinds=kinds)
        wrong = (
            (0.5, 0.0, -2.0, float("inf"), float("nan"))
            if kinds["p"] == "FLOAT"
            else (0, -1, -(2**63))
        )
        return Illegal(call.but(p=choice(draw, wrong)), "AttributeValueError")
    if rule.startswith("global"):
        shape = choice(draw, ((), (2,), (1, 1, 0), (2, 3, 4, 0), (0, 1, 0, 2)))
        return Illegal(Call({"X": shape}), "ShapeError")
    return pools.illegal(draw, attributes)
