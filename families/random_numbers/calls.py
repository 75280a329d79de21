"""Calls of random numbers: of any shape and type, wide and narrow, near zero and far from it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]

SEEDS = (0.0, 1.0, -1.0, 0.5, 7.0, 3.4028234663852886e38, float("inf"), 1e-45)
LOWS = (0.0, -1.0, -0.25, -128.0, -3.5)
HIGHS = (1.0, 0.0, 2.0, 100.0, 0.125)
FLOATING = ("bfloat16", "double", "float", "float16")


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def parameters(draw: Draw, rule: str) -> dict[str, Any]:
    """Attributes of the distribution."""
    given: dict[str, Any] = {}
    if rule.startswith("uniform"):
        if happens(draw, 60):
            given["low"] = choice(draw, LOWS)
        if happens(draw, 60):
            given["high"] = choice(draw, HIGHS)
        if given.get("low", 0.0) > given.get("high", 1.0):
            given["low"], given["high"] = given.get("high", 1.0), given.get("low", 0.0)
    else:
        if happens(draw, 60):
            given["mean"] = choice(draw, (0.0, 1.0, -2.5, 8.0))
        if happens(draw, 60):
            given["scale"] = choice(draw, (1.0, 0.0, 0.125, 3.0))
    if happens(draw, 70):
        given["seed"] = choice(draw, SEEDS)
    return given


def legal(draw: Draw, *, rule: str, types: Types) -> Call:
    """Any parameters that are in range."""
    shape, given = dims(draw, rank(draw), 900), parameters(draw, rule)
    if not rule.endswith("_like"):
        if happens(draw, 70):
            given["dtype"] = number(choice(draw, types["T"]))
        return Call({}, {**given, "shape": list(shape)})
    if happens(draw, 60):
        given["dtype"] = number(choice(draw, types["T2"]))
        return Call({"input": shape}, given)
    of_input = [word for word in FLOATING if word in types["T2"]]
    return Call({"input": shape}, given, {"T1": choice(draw, of_input)})


def illegal(draw: Draw, *, rule: str, types: Types) -> Illegal:
    """A parameter out of range, a negative dim, or a type that is not allowed."""
    like = rule.endswith("_like")
    call = Call({"input": (2, 3)}, {"dtype": 1}) if like else Call({}, {"shape": [2, 3]})
    if happens(draw, 20):
        others = [number(word) for word in TYPES if word not in types["T2" if like else "T"]]
        return Illegal(call.but(dtype=choice(draw, [*others, 0, -1, 29])), "AttributeValueError")
    if not like and happens(draw, 20):
        return Illegal(call.but(shape=choice(draw, ([-1], [3, -(2**63)]))), "AttributeValueError")
    nan, inf = float("nan"), float("inf")
    wrong = (
        [{"low": nan}, {"high": inf}, {"low": 2.0}, {"high": nan}, {"low": 1e5, "high": 1e6}]
        if rule.startswith("uniform")
        else [{"mean": nan}, {"mean": -inf}, {"scale": -1.0}, {"scale": nan}, {"scale": inf}]
    )
    changed = choice(draw, [*wrong, {"seed": nan}])
    if changed.get("low") == 1e5:
        changed = {**changed, "dtype": number("float16")}
    return Illegal(call.but(**changed), "AttributeValueError")
