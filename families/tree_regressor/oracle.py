"""Reference of TreeEnsembleRegressor, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.estimators import scores, transformed
from opmill_checks.rounding import rounded
from opmill_checks.trees import aggregated, feature_rows, numbers, sum_type, votes_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    _, wide = numbers(attributes, "nodes_values")
    base, _ = numbers(attributes, "base_values")
    targets = attributes["n_targets"]
    trees = len(set(attributes["nodes_treeids"]))
    word = attributes.get("aggregate_function", "SUM")
    found = []
    for row in feature_rows(x, wide):
        votes = votes_of(attributes, row, "target")
        type = sum_type(x, attributes, "target")
        sums = aggregated(votes, targets, word, trees, type, base)
        narrow = [rounded(one, "float") for one in sums]
        found.append(transformed(narrow, attributes.get("post_transform", "NONE")))
    return {"Y": scores(found, targets)}
