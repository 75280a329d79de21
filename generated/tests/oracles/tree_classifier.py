"""Reference of TreeEnsembleClassifier, row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.estimators import labels, largest, scores, transformed
from opmill_checks.rounding import rounded
from opmill_checks.trees import aggregated, feature_rows, numbers, sum_type, votes_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    names = attributes.get("classlabels_int64s") or attributes["classlabels_strings"]
    _, wide = numbers(attributes, "nodes_values")
    base, _ = numbers(attributes, "base_values")
    ids = set(attributes["class_ids"])
    is_single = len(names) == 2 and len(ids) == 1
    word = attributes.get("post_transform", "NONE")
    type = sum_type(x, attributes, "class")
    chosen, found = [], []
    for row in feature_rows(x, wide):
        votes = votes_of(attributes, row, "class")
        if is_single:
            own = min(ids)
            all_bases = [base[0]] * 2 if len(base) == 1 else base
            score = aggregated(votes, 2, "SUM", 1, type, all_bases)[own]
            weights, _ = numbers(attributes, "class_weights")
            position, values = two_scores(rounded(score, "float"), weights, word)
        else:
            sums = aggregated(votes, len(names), "SUM", 1, type, base)
            values = [rounded(one, "float") for one in sums]
            position = largest(values)
        chosen.append(position)
        found.append(transformed(values, word))
    return {"Y": labels(attributes, chosen), "Z": scores(found, len(names))}


def two_scores(score: float, weights: Sequence[float], word: str) -> tuple[int, list[float]]:
    """The label and the scores of two classes whose votes are all for one of them."""
    positive = all(weight >= 0 for weight in weights)
    limit = 0.5 if positive and word in ("NONE", "PROBIT") else 0.0
    if word == "PROBIT" or (word == "NONE" and positive):
        return int(score > limit), [rounded(1 - score, "float"), score]
    return int(score > limit), [-score, score]
