"""Reference of LinearClassifier: exact sums, and the label of the largest one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.estimators import (
    exact_sum,
    floats,
    labels,
    largest,
    rows_of,
    scores,
    transformed,
)
from opmill_checks.rounding import rounded
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    width = inputs["X"].shape[-1]
    names = attributes.get("classlabels_ints") or attributes["classlabels_strings"]
    weights = floats(attributes["coefficients"])
    count = len(weights) // width if width else len(names)
    added = floats(attributes.get("intercepts", [0.0] * count))
    chosen, found = [], []
    for row in rows_of(inputs["X"]):
        sums = [
            exact_sum([*zip(row, weights[i * width :], strict=False), (added[i], 1.0)])
            for i in range(count)
        ]
        values = [rounded(one, "float") for one in sums]
        if count == 1:
            values = [-values[0], values[0]]
            chosen.append(1 if values[1] > 0 else 0)
        else:
            chosen.append(largest(values))
        found.append(transformed(values, attributes.get("post_transform", "NONE")))
    return {"Y": labels(attributes, chosen), "Z": scores(found, len(names))}
