"""Calls of LabelEncoder: elements among the keys and others, of every pair of types."""

from __future__ import annotations

from math import nan, prod
from typing import Any

import numpy as np

from opmill_checks.drawing import (
    Call,
    Contents,
    Draw,
    Illegal,
    choice,
    dims,
    happens,
    integer,
    rank,
)
from opmill_checks.value import TYPES

FLOATS = (0.0, 1.0, -0.0, nan, 0.1, -2.5)
WHOLES = (0, 1, -3, 7, 32767)
TEXTS = ("a", "", "b", "ab", "\u00e9")
LISTS = {"float": "floats", "int64": "int64s", "string": "strings"}


def items(draw: Draw, type_: str, count: int) -> list[Any]:
    options: Any = FLOATS if type_ in ("float", "double") else WHOLES
    options = TEXTS if type_ == "string" else options
    return [choice(draw, options) for _ in range(count)]


def listed(draw: Draw, what: str, type_: str, values: list[Any], tensors: bool) -> dict[str, Any]:
    """A list as the attribute of its type, or as a tensor."""
    if tensors and (type_ not in LISTS or happens(draw, 40)):
        return {f"{what}_tensor": np.array(values, TYPES[type_].dtype)}
    return {f"{what}_{LISTS[type_]}": values}


def legal(draw: Draw, *, attributes: frozenset[str], types: dict[str, tuple[str, ...]]) -> Call:
    """One list of keys and one of values; sometimes a default."""
    tensors = "keys_tensor" in attributes
    key, value = choice(draw, types["T1"]), choice(draw, types["T2"])
    count = choice(draw, (1, 2, 3, 5))
    given = listed(draw, "keys", key, items(draw, key, count), tensors)
    given |= listed(draw, "values", value, items(draw, value, count), tensors)
    if tensors and happens(draw, 30):
        given["default_tensor"] = np.array(items(draw, value, 1), TYPES[value].dtype)
    if happens(draw, 50):
        given |= {"default_int64": 5, "default_float": 0.5, "default_string": "none"}
    shape = dims(draw, rank(draw), 200)
    return Call({"X": Contents(shape, tuple(items(draw, key, prod(shape))))}, given, {"T1": key})


def illegal(
    draw: Draw, *, attributes: frozenset[str], types: dict[str, tuple[str, ...]]
) -> Illegal:
    """No keys, two lists of them, an empty one; values of another number, none, or two lists."""
    shape = dims(draw, rank(draw), 200)
    x = Contents(shape, tuple(items(draw, "int64", prod(shape))))
    given: dict[str, Any] = {"keys_int64s": [1, 2], "values_floats": [0.5, 1.5]}
    call = Call({"X": x}, given, {"T1": "int64"})
    other = choice(
        draw,
        (
            {"keys_int64s": None},
            {"keys_strings": ["a", "b"]},
            {"keys_int64s": None, "keys_floats": [1.0, 2.0]},
            {"keys_int64s": [], "values_floats": []},
            {"values_floats": None},
            {"values_strings": ["a", "b"]},
            {"values_floats": [0.5] * integer(draw, 3, 5)},
        ),
    )
    return Illegal(call.but(**other), "AttributeValueError")
