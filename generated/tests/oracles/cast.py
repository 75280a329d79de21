"""Slow reference of Cast: exact fractions, rounded once by the definition of each format."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from opmill_checks.contents import RefusedContents
from opmill_checks.value import TYPES, Value, bits_of, type_of_number


class Format(NamedTuple):
    """A floating format: digits of the significand, the least exponent, the largest number.

    A number beyond is ``beyond`` or, in a float8, what saturation says; a NaN of it has the bits
    ``nan``, which has the sign if ``signed_nan``, and ``payload`` bits of a payload.
    """

    digits: int
    min_exponent: int
    largest: Fraction
    beyond: float
    nan: int | None
    signed_nan: bool = True
    payload: int = 0


def ieee(digits: int, min_exponent: int, nan: int) -> Format:
    """A format as IEEE 754 has them, whose largest exponent is 1 - least."""
    largest = (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** (1 - min_exponent)
    return Format(digits, min_exponent, largest, math.inf, nan, payload=digits - 2)


FORMATS = {
    "double": ieee(53, -1022, 0x7FF8000000000000),
    "float": ieee(24, -126, 0x7FC00000),
    "float16": ieee(11, -14, 0x7E00),
    "bfloat16": ieee(8, -126, 0x7FC0),
    "float8e5m2": ieee(3, -14, 0x7E),
    "float8e4m3fn": Format(4, -6, Fraction(448), math.nan, 0x7F),
    "float8e4m3fnuz": Format(4, -7, Fraction(240), math.nan, 0x80, signed_nan=False),
    "float8e5m2fnuz": Format(3, -15, Fraction(57344), math.nan, 0x80, signed_nan=False),
    "float4e2m1": Format(2, 0, Fraction(6), 6.0, None),
    "float6e2m3": Format(4, 0, Fraction(15, 2), 7.5, None),
    "float6e3m2": Format(3, -2, Fraction(28), 28.0, None),
}
NUMBER = re.compile(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?")
WORDS = {"nan": math.nan, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


class Element(NamedTuple):
    """An element before it is converted: a fraction, or an infinity or NaN; its sign; its payload.

    The payload is that of a NaN, as the digits of a binary fraction.
    """

    value: Any
    negative: bool
    payload: Fraction = Fraction(0)


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, fnuz_infinity: str
) -> dict[str, Value]:
    source = inputs["input"]
    to = inputs["target_type"].type if "target_type" in inputs else type_of_number(attributes["to"])
    if to == source.type:
        return {"output": source.take(source.shape, range(len(source.items)))}
    if to == "string":
        return {"output": Value(to, source.shape, tuple(texts(source)))}
    saturate = attributes.get("saturate", 1) != 0
    round_mode = attributes.get("round_mode", "up")
    infinite = saturate and not (to.endswith("fnuz") and fnuz_infinity == "nan")
    items, patterns = [], []
    for element in elements(source):
        if TYPES[to].kind == "bool":
            item: Any = element.value != 0
        elif TYPES[to].kind == "integer":
            item = whole(element.value, TYPES[to].width, signed=to.startswith("i"))
        elif to == "float8e8m0":
            item = power(element, saturate, round_mode)
        else:
            item = nearest(element, to, saturate, infinite)
        items.append(item)
        patterns.append(nan_bits(element, to) if item != item else None)
    plain = Value(to, source.shape, tuple(items))
    if all(pattern is None for pattern in patterns):
        return {"output": plain}
    bits = [b if p is None else p for b, p in zip(bits_of(plain.to_array()), patterns, strict=True)]
    return {"output": Value(to, source.shape, tuple(items), tuple(bits))}


# Reading


def elements(source: Value) -> list[Element]:
    kind = TYPES[source.type].kind
    if kind == "string":
        return [text_element(text, position) for position, text in enumerate(source.items)]
    if kind != "float":
        return [Element(Fraction(int(item)), item < 0) for item in source.items]
    bits = bits_of(source.to_array())
    pairs = zip(source.items, bits, strict=True)
    return [number_element(item, pattern, source.type) for item, pattern in pairs]


def number_element(item: float, bits: int, type: str) -> Element:
    negative = math.copysign(1, item) < 0
    if item == item:
        return Element(item if math.isinf(item) else Fraction(item), negative)
    form = FORMATS.get(type)
    negative = bool(bits >> (TYPES[type].width - 1)) and form is not None and form.signed_nan
    if form is None or not form.payload:
        return Element(item, negative)
    return Element(item, negative, Fraction(bits % 2**form.payload, 2**form.payload))


def text_element(text: str, position: int) -> Element:
    if text.lower() in WORDS:
        return Element(WORDS[text.lower()], text.startswith("-"))
    if NUMBER.fullmatch(text) is None:
        raise RefusedContents(position, f"is '{text}', expected a number")
    return Element(Fraction(text), text.startswith("-"))


# Converting


def whole(value: Any, width: int, *, signed: bool) -> int:
    """Without its fraction, and without the bits that do not fit."""
    if isinstance(value, float):
        return 0
    low = math.trunc(value) % 2**width
    return low - 2**width if signed and low >= 2 ** (width - 1) else low


def nearest(element: Element, to: str, saturate: bool, infinite: bool) -> float:
    """The nearest number of a format, ties to the even one."""
    form = FORMATS[to]
    sign = -1.0 if element.negative else 1.0
    if element.value != element.value:
        return math.nan if form.nan is not None else 0.0
    float8 = to.startswith("float8")
    if isinstance(element.value, float):
        return sign * float(form.largest if float8 and infinite else form.beyond)
    size = abs(element.value)
    rounded = size
    if size:
        step = Fraction(2) ** (max(exponent(size), form.min_exponent) - form.digits + 1)
        rounded = round(size / step) * step
    if rounded > form.largest:
        return sign * float(form.largest if float8 and saturate else form.beyond)
    return 0.0 if rounded == 0 and to.endswith("fnuz") else math.copysign(float(rounded), sign)


def power(element: Element, saturate: bool, round_mode: str) -> float:
    """A power of two, from 2^-127 to 2^127."""
    value = element.value
    smallest, largest = Fraction(2) ** -127, Fraction(2) ** 127
    if value != value or value < 0 or (not saturate and not smallest <= value <= largest):
        return math.nan
    if value <= smallest or value >= largest:
        return float(smallest if value <= smallest else largest)
    low = Fraction(2) ** exponent(value)
    up = {"up": value > low, "nearest": value >= low * 3 / 2, "down": False}[round_mode]
    return float(2 * low if up else low)


def exponent(size: Fraction) -> int:
    """The e for which 2^e <= size < 2^(e + 1)."""
    e = size.numerator.bit_length() - size.denominator.bit_length()
    return e if Fraction(2) ** e <= size else e - 1


def nan_bits(element: Element, to: str) -> int:
    """The bits of a NaN that was one, or that something became."""
    if to == "float8e8m0":
        return 0xFF
    form = FORMATS[to]
    assert form.nan is not None
    sign = 1 << (TYPES[to].width - 1) if element.negative and form.signed_nan else 0
    return form.nan | sign | int(element.payload * 2**form.payload)


# Writing


def texts(source: Value) -> list[str]:
    if TYPES[source.type].kind == "string":
        return list(source.items)
    if TYPES[source.type].kind != "float":
        return [str(int(item)) for item in source.items]
    return [digits(item, "double" if source.type == "double" else "float") for item in source.items]


def digits(number: float, type: str) -> str:
    """The fewest decimal digits that are nearest to this number and no other of the type."""
    if number != number:
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    if number == 0:
        return "-0" if math.copysign(1, number) < 0 else "0"
    exact = Fraction(number)
    position = math.floor(math.log10(abs(number))) + 1
    while True:
        position -= 1
        step = Fraction(10) ** position
        below = math.floor(exact / step) * step
        near = sorted((below, below + step), key=lambda n: (abs(n - exact), n / step % 2))
        for candidate in near:
            element = Element(candidate, candidate < 0)
            if candidate and nearest(element, type, saturate=False, infinite=False) == number:
                return plain(candidate)


def plain(number: Fraction) -> str:
    """A decimal fraction, without an exponent."""
    positions = 0
    while number * 10**positions % 1:
        positions += 1
    text = str(abs(int(number * 10**positions))).rjust(positions + 1, "0")
    sign = "-" if number < 0 else ""
    return sign + (f"{text[:-positions]}.{text[-positions:]}" if positions else text)
