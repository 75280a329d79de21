"""Reference of the operators of the family elementwise_binary, one pair of elements at a time."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import FORMATS, attribute_value, element
from opmill_checks.value import Value


def add(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a + b
    total = Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else 0
    return total or a + b  # infinities, NaNs and the signs of zeros as Python has them


def div(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    if b != 0:
        finite = math.isfinite(a) and math.isfinite(b)
        return (Fraction(a) / Fraction(b) if finite else 0) or a / b
    sign = math.copysign(1, a) * math.copysign(1, b)
    return math.nan if a == 0 or math.isnan(a) else sign * math.inf


def equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def greater(a: Any, b: Any) -> bool:
    return bool(a > b)


def greater_or_equal(a: Any, b: Any) -> bool:
    return bool(a > b or a == b)


def less(a: Any, b: Any) -> bool:
    return bool(b > a)


def less_or_equal(a: Any, b: Any) -> bool:
    return bool(b > a or a == b)


def mod(a: Any, b: Any, fmod: int) -> Any:
    if isinstance(a, int):
        rest = abs(a) % abs(b)
        rest = -rest if a < 0 else rest
        return rest + b if not fmod and rest != 0 and (rest < 0) != (b < 0) else rest
    if a != a or b != b or math.isinf(a) or b == 0:
        return math.nan
    exact = Fraction(a)
    if math.isfinite(b):
        exact -= math.trunc(exact / Fraction(b)) * Fraction(b)
    if fmod or (exact != 0 and (exact < 0) == (b < 0)):
        return exact or math.copysign(0.0, a)
    if exact == 0:
        return math.copysign(0.0, b)
    return exact + Fraction(b) if math.isfinite(b) else b


def mul(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a * b
    finite = math.isfinite(a) and math.isfinite(b)
    return (Fraction(a) * Fraction(b) if finite else 0) or a * b


def prelu(a: Any, b: Any) -> Any:
    return mul(a, b) if a < 0 else a


def shift(a: int, b: int, direction: str) -> int:
    if not 0 <= b < 64:  # what has fewer bits loses them all before
        return -1 if direction == "RIGHT" and a < 0 else 0
    return a << b if direction == "LEFT" else a >> b


def sub(a: Any, b: Any) -> Any:
    return add(a, -b)


def exclusive_or(a: Any, b: Any) -> Any:
    return (a or b) and not (a and b)


def bitwise(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], int]:
    """A function of bits, of each of 64 of them: one of -1 is set in all."""

    def compute(a: int, b: int) -> int:
        bits = [function(a >> i & 1, b >> i & 1) for i in range(64)]
        return sum(1 << i for i, bit in enumerate(bits) if bit)

    return compute


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "add": add,
    "and": lambda a, b: a and b,
    "bit_shift": shift,
    "bitwise_and": bitwise(lambda a, b: a and b),
    "bitwise_or": bitwise(lambda a, b: a or b),
    "bitwise_xor": bitwise(exclusive_or),
    "div": div,
    "equal": equal,
    "greater": greater,
    "greater_or_equal": greater_or_equal,
    "less": less,
    "less_or_equal": less_or_equal,
    "mod": mod,
    "mul": mul,
    "or": lambda a, b: a or b,
    "prelu": prelu,
    "sub": sub,
    "xor": exclusive_or,
}
"""Of two elements and the attributes that a function names: of integers the exact integer, of
floats the exact number, or what is no number."""
NAMES = {"bit_shift": ("X", "Y", "Z"), "prelu": ("X", "slope", "Y")}
"""The inputs and the output, where they are not A, B and C."""
DIVISIONS = frozenset({"div", "mod"})
"""The functions that refuse integers of 0 in B."""
TO_BOOL = frozenset(
    {"and", "equal", "greater", "greater_or_equal", "less", "less_or_equal", "or", "xor"}
)
"""The functions whose results are bools, whatever they are of."""


def oracle(
    inputs: Mapping[str, Value],
    attributes: Mapping[str, Any],
    *,
    function: str,
    per_channel: bool,
    truncates_floats: bool,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    compute = FUNCTIONS[function]
    known = {**defaults, **attributes}
    names = list(inspect.signature(compute).parameters)[2:]
    operands = {name: attribute_value(known[name]) for name in names}
    left, right, result_name = NAMES.get(function, ("A", "B", "C"))
    A, B = inputs[left], inputs[right]
    to = "bool" if function in TO_BOOL else A.type
    a, b = A.shape, B.shape
    if attributes.get("broadcast") == 1:  # the axes of B begin at an axis of A
        axis = attributes.get("axis")
        first = axis if isinstance(axis, int) and len(B.items) != 1 else len(a) - len(b)
        b = b + (1,) * (len(a) - len(b) - first)
    if per_channel and len(b) == 1 and len(a) > 1 and a[1] == b[0]:
        b = b + (1,) * (len(a) - 2)
    rank = max(len(a), len(b))
    empty = 0 in a or 0 in b
    if function in DIVISIONS and not empty and to not in FORMATS and 0 in B.items:
        raise RefusedContents(B.items.index(0), "is 0, expected a divisor that is not 0")
    a, b = ((1,) * (rank - len(dims)) + dims for dims in (a, b))
    shape = tuple(q if p == 1 else p for p, q in zip(a, b, strict=True))
    items = []
    for index in indices(shape):
        x, y = (
            ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)
            for dims in (a, b)
        )
        result = compute(A.items[x], B.items[y], **operands)
        items.append(bool(result) if to == "bool" else element(to, result))
    return {result_name: Value(to, shape, tuple(items))}
