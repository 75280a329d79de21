"""Reference of Imputer, one element at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    is_float = x.type in ("float", "double")
    if is_float:
        values = [rounded(float(v), "float") for v in attributes["imputed_value_floats"]]
        replaced: Any = rounded(float(attributes.get("replaced_value_float", 0.0)), "float")
    else:
        values = list(attributes["imputed_value_int64s"])
        replaced = attributes.get("replaced_value_int64", 0)
    items = []
    for i, item in enumerate(x.items):
        both_nan = is_float and math.isnan(item) and math.isnan(replaced)
        if item == replaced or both_nan:
            item = values[0] if len(values) == 1 else values[i % x.shape[-1]]
        items.append(item)
    return {"Y": Value(x.type, x.shape, tuple(items))}
