"""Reference of quantised sums and products by elements; each step is rounded to float."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.quantized import limited, over, times
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None], attributes: Mapping[str, Any], *, function: str
) -> dict[str, Value]:
    a, b = inputs["A"], inputs["B"]
    assert a is not None
    assert b is not None
    scales = {name: float(first(inputs[f"{name}_scale"])) for name in "ABC"}
    zeros = {name: int(first(inputs.get(f"{name}_zero_point"))) for name in "ABC"}
    rank = max(len(a.shape), len(b.shape))
    left, right = ((1,) * (rank - len(one.shape)) + one.shape for one in (a, b))
    shape = tuple(q if p == 1 else p for p, q in zip(left, right, strict=True))
    items = []
    for index in indices(shape):
        x, y = (
            value.items[
                ravel([0 if dim == 1 else i for i, dim in zip(index, dims, strict=True)], dims)
            ]
            for value, dims in ((a, left), (b, right))
        )
        result = (total if function == "add" else product)(int(x), int(y), scales, zeros)
        items.append(limited(result, 0, a.type))
    return {"C": Value(a.type, shape, tuple(items))}


def first(value: Value | None) -> Any:
    return 0 if value is None else value.items[0]


def plus(a: float, b: float) -> float:
    if math.isfinite(a) and math.isfinite(b):
        return rounded(Fraction(a) + Fraction(b), "float") if Fraction(a) + Fraction(b) else 0.0
    return a + b


def total(a: int, b: int, scales: Mapping[str, float], zeros: Mapping[str, int]) -> float:
    """The sum of what the elements stand for, over the scale of C, and the zero point of C."""
    by_a, by_b = over(scales["A"], scales["C"]), over(scales["B"], scales["C"])
    moved = plus(times(by_a, float(zeros["A"])), times(by_b, float(zeros["B"])))
    return plus(times(float(a), by_a), plus(times(float(b), by_b), plus(float(zeros["C"]), -moved)))


def product(a: int, b: int, scales: Mapping[str, float], zeros: Mapping[str, int]) -> float:
    """The product of what the elements stand for, over the scale of C, and the zero point of C."""
    by = over(times(scales["A"], scales["B"]), scales["C"])
    factors = float((a - zeros["A"]) * (b - zeros["B"]))
    return plus(times(factors, by), float(zeros["C"]))
