"""Reference of OneHotEncoder: each element beside each category."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, defaults: Mapping[str, Any]
) -> dict[str, Value]:
    x = inputs["X"]
    name = "cats_strings" if x.type == "string" else "cats_int64s"
    categories = list(attributes[name])
    items: list[float] = []
    for position, item in enumerate(x.items):
        if isinstance(item, float):
            item = math.trunc(item) if math.isfinite(item) else None
        row = [0.0] * len(categories)
        for k, category in enumerate(categories):
            if category == item and item not in categories[k + 1 :]:
                row[k] = 1.0
        if 1.0 not in row and not attributes.get("zeros", defaults["zeros"]):
            raise RefusedContents(position, " has no category, expected one")
        items += row
    return {"Y": Value("float", (*x.shape, len(categories)), tuple(items))}
