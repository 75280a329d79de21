"""Reference of BitCast: each element's bits, of another type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value, array_of_bits, bits_of, type_of_number


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source = inputs["input"]
    patterns = source.bits if source.bits is not None else bits_of(source.to_array().reshape(-1))
    array = array_of_bits(type_of_number(attributes["to"]), patterns)
    return {"output": Value.from_array(array.reshape(source.shape))}
