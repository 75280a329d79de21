"""Reference of LinearRegressor: exact sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.estimators import exact_sum, floats, rows_of, scores, transformed
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    rows = rows_of(inputs["X"])
    targets = attributes.get("targets", 1)
    width = inputs["X"].shape[-1]
    weights = floats(attributes["coefficients"])
    added = floats(attributes.get("intercepts", [0.0] * targets))
    found = []
    for row in rows:
        sums = [
            exact_sum([*zip(row, weights[t * width :], strict=False), (added[t], 1.0)])
            for t in range(targets)
        ]
        rounded_sums = [rounded(one, "float") for one in sums]
        found.append(transformed(rounded_sums, attributes.get("post_transform", "NONE")))
    return {"Y": scores(found, targets)}
