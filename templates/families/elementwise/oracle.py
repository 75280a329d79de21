"""What the operators of the family elementwise compute of one element, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opmill_checks.value import Value, bits_of


def relu(x: Any) -> Any:
    return type(x)(0) if x < 0 else x


FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {"relu": relu}


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, object], *, function: str
) -> dict[str, Value]:
    """Each element by itself; one that stays what it is keeps its bits, those of a NaN too."""
    given = inputs["X"]
    items = tuple(map(FUNCTIONS[function], given.items))
    plain = Value(given.type, given.shape, items)
    if given.bits is None:
        return {"Y": plain}
    patterns = bits_of(plain.to_array())
    kept = [new is old for new, old in zip(items, given.items, strict=True)]
    bits = tuple(
        before if keep else after
        for keep, before, after in zip(kept, given.bits, patterns, strict=True)
    )
    return {"Y": Value(given.type, given.shape, items, bits)}
