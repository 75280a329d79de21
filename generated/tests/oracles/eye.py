"""Reference of EyeLike: each element by its row and its column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import TYPES, Value, type_of_number


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    source = inputs["input"]
    given = attributes.get("dtype")
    type = source.type if given is None else type_of_number(given)
    rows, columns = source.shape
    k = attributes.get("k", 0)
    make = {"float": float, "bool": bool}.get(TYPES[type].kind, int)
    items = tuple(make(column == row + k) for row in range(rows) for column in range(columns))
    return {"output": Value(type, source.shape, items)}
