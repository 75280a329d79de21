"""Reference of SVMRegressor: exact sums of kernel functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.estimators import exact_sum, floats, rows_of, scores, transformed
from opmill_checks.rounding import rounded
from opmill_checks.support_vectors import kernel_value
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    width = inputs["X"].shape[-1]
    weights, rho = floats(attributes["coefficients"]), floats(attributes["rho"])[0]
    vectors = floats(attributes.get("support_vectors", []))
    found = []
    for row in rows_of(inputs["X"]):
        values = row
        if attributes.get("n_supports", 0):
            values = [
                kernel_value(attributes, row, vectors[i * width : (i + 1) * width])
                for i in range(attributes["n_supports"])
            ]
        total = exact_sum([*zip(values, weights, strict=True), (rho, 1.0)])
        if attributes.get("one_class", 0):
            found.append([1.0 if total > 0 else -1.0])
        else:
            word = attributes.get("post_transform", "NONE")
            found.append(transformed([rounded(total, "float")], word))
    return {"Y": scores(found, 1)}
