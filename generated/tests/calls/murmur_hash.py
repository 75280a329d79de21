"""Calls of MurmurHash3: numbers of both sizes, texts of all lengths to some words."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

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

PIECES = ("a", "Z", "0", " ", "ä", "日", "\U0001f600", "abcd", "\x7f")
SEEDS = (1, 42, -1, 2**31, 2**32 - 1, 2**32, 2**32 + 42, 2**63 - 1, -(2**63), 0)


def text(draw: Draw) -> str:
    return "".join(choice(draw, PIECES) for _ in range(integer(draw, 0, 7)))


def legal(draw: Draw, *, types: Mapping[str, tuple[str, ...]]) -> Call:
    """Any shape, any seed, and flags other than 1."""
    type = "string" if happens(draw, 40) else choice(draw, types["T1"])
    shape = dims(draw, rank(draw), 60)
    attributes: dict[str, Any] = {}
    if happens(draw, 50):
        attributes["positive"] = choice(draw, (0, 1, 2, -1, 2**63 - 1))
    if happens(draw, 60):
        attributes["seed"] = choice(draw, SEEDS) if happens(draw, 70) else integer(draw, 0, 2**40)
    if type == "string":
        texts = Contents(shape, tuple(text(draw) for _ in range(prod(shape))))
        return Call({"X": texts}, attributes, {"T1": type})
    return Call({"X": shape}, attributes, {"T1": type})


def illegal(draw: Draw, *, types: Mapping[str, tuple[str, ...]]) -> Illegal:
    """The one thing that can be wrong beyond the signature: an attribute that there is not."""
    name = choice(draw, ("negative", "seeds", "Seed"))
    return Illegal(
        legal(draw, types=types).but(**{name: choice(draw, (0, 1))}), "AttributeValueError"
    )
