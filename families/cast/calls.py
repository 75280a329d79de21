"""Calls of Cast and CastLike: any type to any other, with numbers at the edges of all of them."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import (
    Call,
    Contents,
    Dims,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    product,
    rank,
)
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]
EDGES = (
    *(1, 0, 2.5, -1, 300.75, -129, 65519, 65520, 448, 464, 465, 61440, 2.0**-24, 3.0 * 2.0**-25),
    *(-0.0, 2.0**31, -(2.0**63), 2.0**64, 1e-40, 1e39, float("inf"), float("-inf"), float("nan")),
    *(1 + 2.0**-11 + 2.0**-40, 1 + 2.0**-8 + 2.0**-30, 2.0**53 + 2, 240, 248, 6.5, 7.25, 30),
)
TEXTS = (
    *("1", "0", "-0", "2.5", "-1.5", "1e-5", "1E8", "nan", "NaN", "INF", "-inf", "+Inf", "100.5"),
    *(".5", "5.", "16777217", "3.14", "1e400", "-1e-400", "65520", "18446744073709551615", "300"),
    *("1.0004882812500000000000000001", "0." + "0" * 50 + "1", "7" * 40, "-448.1", "6e-8"),
)


def legal(draw: Draw, *, rule: str, kinds: Mapping[str, str], types: Types) -> Call:
    """A tensor and the type that it becomes: by the attribute `to`, or that of another tensor."""
    source, target = choice(draw, types["T1"]), choice(draw, types["T2"])
    given: dict[str, object] = {}
    if "saturate" in kinds and happens(draw, 40):
        given["saturate"] = choice(draw, (0, 1, -1))
    if "round_mode" in kinds and happens(draw, 40):
        given["round_mode"] = choice(draw, ("up", "down", "nearest"))
    tensor = elements(draw, source)
    if rule == "like":
        other = dims(draw, rank(draw), 10)
        return Call({"input": tensor, "target_type": other}, given, {"T1": source, "T2": target})
    return Call({"input": tensor}, {**given, "to": named(target, kinds)}, {"T1": source})


def elements(draw: Draw, source: str) -> Dims | Contents:
    """A tensor to convert: texts of numbers, the edges of some type, or any elements."""
    shape = dims(draw, rank(draw), 300)
    size = 0 if 0 in shape else product(shape)
    if source == "string":
        shape = shape if size <= 20 else (20,)
        return Contents(shape, tuple(choice(draw, TEXTS) for _ in range(min(size, 20))))
    if happens(draw, 50) and 0 < size <= 40 and TYPES[source].width >= 16:
        return Contents(shape, tuple(choice(draw, EDGES) for _ in range(size)))
    return shape


def illegal(draw: Draw, *, rule: str, kinds: Mapping[str, str], types: Types) -> Illegal:
    """A rounding that is none, or a type that is none; CastLike has no attribute for that."""
    call = legal(draw, rule=rule, kinds=kinds, types=types)
    if "round_mode" in kinds and happens(draw, 50):
        return Illegal(call.but(round_mode=choice(draw, ("", "UP", "even"))), "AttributeValueError")
    if rule == "like":
        return Illegal(call.but(to=1), "AttributeValueError")
    others = [named(word, kinds) for word in TYPES if word not in types["T2"]]
    numbers = (0, -1, 29, 2**32 + 1)
    texts = ("", "float", "FLOAT32", "1")
    others += texts if kinds["to"] == "STRING" else numbers
    return Illegal(call.but(to=choice(draw, others)), "AttributeValueError")


def named(word: str, kinds: Mapping[str, str]) -> object:
    """A type as the attribute names it: by the number of TensorProto.DataType, or by the name."""
    return word.upper() if kinds["to"] == "STRING" else list(TYPES).index(word) + 1
