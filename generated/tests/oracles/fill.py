"""Reference of ConstantOfShape: one element, listed as often as the dims say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    shape = inputs["input"].items
    value = attributes.get("value") or Value("float", (), (0.0,))
    count = 1
    for dim in shape:
        count *= dim
    bits = None if value.bits is None else (value.bits[0],) * count
    return {"output": Value(value.type, tuple(shape), (value.items[0],) * count, bits)}
