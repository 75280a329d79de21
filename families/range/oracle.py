"""Reference of Range: integers by Python's range, floats by fractions rounded at each step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import Value


def number(first: float, step: float, index: int, wide: str) -> float:
    """first + index * step, each operation rounded to a type; zeros have the sign of IEEE 754."""
    scale = rounded(Fraction(index), wide)
    product = scale * step
    if product != 0:
        product = rounded(Fraction(scale) * Fraction(step), wide)
    total = Fraction(product) + Fraction(first)
    return rounded(total, wide) if total != 0 else product + first


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, output_names: Sequence[str]
) -> dict[str, Value]:
    type, output = inputs["start"].type, output_names[0]
    start, limit = (inputs[name].items[0] for name in ("start", "limit"))
    given = inputs.get("delta")
    delta = 1 if given is None else given.items[0]
    if type not in FORMATS:
        whole = tuple(range(start, limit, delta))
        return {output: Value(type, (len(whole),), whole)}
    count = max(math.ceil((limit - start) / delta), 0)
    half = type.endswith("float16")
    wide = "float" if half and attributes.get("stash_type", 1) == 1 else "double"
    narrow = ("float", type) if half else (type,)
    items = []
    for i in range(count):
        item = number(start, delta, i, wide) if math.isfinite(delta) else start
        for one in narrow:
            item = rounded(item, one)
        items.append(item)
    return {output: Value(type, (count,), tuple(items))}
