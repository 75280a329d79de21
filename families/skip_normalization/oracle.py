"""Rows of a sum, one after the other, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.moments import mean, mean_square, quotient, root
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    centered: bool,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    x, skip, gamma = inputs["input"], inputs["skip"], inputs["gamma"]
    beta, bias = inputs.get("beta"), inputs.get("bias")
    assert x is not None
    assert skip is not None
    assert gamma is not None
    epsilon = attribute_value({**defaults, **attributes}["epsilon"])
    length = x.shape[-1]
    items, sums, means, factors = [], [], [], []
    for row in range(math.prod(x.shape[:-1])):
        first = row * length
        line = [
            plus(x.items[i], skip.items[i % len(skip.items)]) for i in range(first, first + length)
        ]
        if bias is not None:
            line = [plus(a, b) for a, b in zip(line, bias.items, strict=True)]
        center = mean(line) if centered else 0.0
        factor = quotient(1.0, root(mean_square(line, center) + epsilon))
        for i, number in enumerate(line):
            result = (number - center) * factor * gamma.items[i]
            items.append(rounded(result if beta is None else result + beta.items[i], x.type))
        sums += [rounded(number, x.type) for number in line]
        means.append(rounded(center, "float"))
        factors.append(rounded(factor, "float"))
    shape = (*x.shape[:-1], 1)
    return {
        "output": Value(x.type, x.shape, tuple(items)),
        "mean": Value("float", shape, tuple(means)),
        "inv_std_var": Value("float", shape, tuple(factors)),
        "input_skip_bias_sum": Value(x.type, x.shape, tuple(sums)),
    }


def plus(a: float, b: float) -> float:
    """The sum, rounded to float; infinities, NaNs and the signs of zeros as Python has them."""
    exact = Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else 0
    return rounded(exact, "float") if exact else a + b
