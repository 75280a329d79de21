"""What the operators of the family elementwise compute of one element, in plain Python."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import attribute_value, element
from opmill_checks.value import TYPES, Value, bits_of


def absolute(x: Any) -> Any:
    return abs(x)


def exp(x: Any) -> Any:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def is_nan(x: Any) -> bool:
    return bool(x != x)


def leaky_relu(x: Any, alpha: float) -> Any:
    return x if not x < 0 else product(alpha, x)


def negative(x: Any) -> Any:
    return -x


def relu(x: Any) -> Any:
    return type(x)(0) if x < 0 else x


def square_root(x: Any) -> Any:
    """The exact root, or a number between it and the root's neighbours of 200 bits and more."""
    if x == 0 or x == math.inf:
        return x
    if not x > 0:
        return math.nan
    scaled = int(Fraction(x) * 4**800)  # exact: a double is a multiple of 2 to the power of -1074
    root = math.isqrt(scaled)
    return Fraction(2 * root + (root * root != scaled), 2**801)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": absolute,
    "exp": exp,
    "is_nan": is_nan,
    "leaky_relu": leaky_relu,
    "neg": negative,
    "relu": relu,
    "sqrt": square_root,
}
"""Of an element and the attributes that a function names: of integers the exact integer, of floats
the exact number, or what is no number."""
TO_BOOL = frozenset({"is_nan"})
"""The functions whose results are bools, whatever they are of."""
OF_NAN: Mapping[str, Callable[[int, int], int]] = {
    "abs": lambda bits, sign: bits & ~sign,
    "neg": lambda bits, sign: bits ^ sign,
}
"""The bits of the result for those of a NaN and of the sign, where a function states them."""


def product(a: float, b: float) -> Any:
    """The exact product; infinities, NaNs and the signs of zeros as Python has them."""
    finite = math.isfinite(a) and math.isfinite(b)
    return (Fraction(a) * Fraction(b) if finite else 0) or a * b


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    function: str,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    """Each element by itself; one that stays what it is keeps its bits, those of a NaN too."""
    given = inputs["X"]
    compute = FUNCTIONS[function]
    known = {**defaults, **attributes}
    names = list(inspect.signature(compute).parameters)[1:]
    operands = {name: attribute_value(known[name]) for name in names}
    results = [compute(item, **operands) for item in given.items]
    if function in TO_BOOL:
        return {"Y": Value("bool", given.shape, tuple(results))}
    items = tuple(element(given.type, result) for result in results)
    plain = Value(given.type, given.shape, items)
    if given.bits is None:
        return {"Y": plain}
    sign = 1 << (TYPES[given.type].width - 1)
    bits = list(bits_of(plain.to_array()))
    for k, (new, old) in enumerate(zip(results, given.items, strict=True)):
        if old != old and function in OF_NAN:
            bits[k] = OF_NAN[function](given.bits[k], sign)
        elif new is old:
            bits[k] = given.bits[k]
    return {"Y": Value(given.type, given.shape, items, tuple(bits))}
