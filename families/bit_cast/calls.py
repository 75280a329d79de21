"""Calls of BitCast: pairs of types with as many bits, and others."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, rank
from opmill_checks.value import TYPES

Types = Mapping[str, tuple[str, ...]]


def bits(word: str) -> int:
    """The bits of an element; those of a bool fill a byte."""
    return 8 if word == "bool" else TYPES[word].width


def legal(draw: Draw, *, types: Types) -> Call:
    """Any type to any other of its size."""
    source = choice(draw, types["T1"])
    target = choice(draw, [word for word in types["T2"] if bits(word) == bits(source)])
    return Call({"input": dims(draw, rank(draw), 300)}, {"to": number(target)}, {"T1": source})


def illegal(draw: Draw, *, types: Types) -> Illegal:
    """A type of another size, strings, or no type."""
    call = legal(draw, types=types)
    source = call.types["T1"]
    sizes = [number(word) for word in types["T2"] if bits(word) != bits(source)]
    others = [number("string"), 0, -1, 27, 28, 29, 2**32 + 1]
    return Illegal(
        call.but(to=choice(draw, sizes if happens(draw, 60) else others)), "AttributeValueError"
    )


def number(word: str) -> int:
    """The number of a type in TensorProto.DataType."""
    return list(TYPES).index(word) + 1
