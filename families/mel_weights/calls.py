"""Calls of MelWeightMatrix: edges of common sizes, inside of the spectrum and outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1


def numbers(bands: int, length: int, rate: int, lower: float, upper: float) -> dict[str, Any]:
    names = ("num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz", "upper_edge_hertz")
    values = (bands, length, rate, lower, upper)
    return {name: Contents((), (value,)) for name, value in zip(names, values, strict=True)}


def legal(draw: Draw, *, types: Types) -> Call:
    """Edges up to half the rate, or beyond; either may be the larger one."""
    length, rate = integer(draw, 0, 60), choice(draw, (8192, 16000, 44100, 7))
    edges = (0.0, 20.5, 125.0, 1000.25, 3000.5, 4096.0, 8000.0)
    lower, upper = choice(draw, edges), choice(draw, edges)
    if happens(draw, 70) and lower > upper:
        lower, upper = upper, lower
    if happens(draw, 10):
        lower = choice(draw, (-20.0, -650.0, 30000.0))
    given = {}
    if happens(draw, 60):
        given["output_datatype"] = number(choice(draw, types["T3"]))
    wide = {"T2": choice(draw, ("float", "double"))}
    return Call(numbers(integer(draw, 0, 12), length, rate, lower, upper), given, wide)


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """A number out of its range, several numbers, or a type that is not allowed."""
    call = Call(numbers(3, 16, 8192, 0.0, 4096.0), {}, {"T2": "float"})
    if happens(draw, 20):
        others = [number(word) for word in TYPES if word not in types["T3"]]
        return Illegal(call.but(output_datatype=choice(draw, others)), "AttributeValueError")
    name, wrong = choice(
        draw,
        (
            ("num_mel_bins", Contents((), (-1,))),
            ("dft_length", Contents((), (-2,))),
            ("sample_rate", Contents((), (0,))),
            ("sample_rate", Contents((), (-8192,))),
            ("lower_edge_hertz", Contents((), (-700.0,))),
            ("upper_edge_hertz", Contents((), (-1000.0,))),
            ("upper_edge_hertz", Contents((), (float("inf"),))),
            ("lower_edge_hertz", Contents((), (float("nan"),))),
            ("lower_edge_hertz", Contents((2,), (1.0, 2.0))),
            ("num_mel_bins", Contents((0,), ())),
        ),
    )
    return Illegal(call.but({name: wrong}), "ShapeError")
