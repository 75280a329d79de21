"""Reference of SVMClassifier: votes of pairs of classes, or the largest of linear scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any

from opmill_checks.estimators import (
    exact_sum,
    floats,
    labels,
    largest,
    logistic,
    rows_of,
    scores,
    transformed,
)
from opmill_checks.rounding import rounded
from opmill_checks.support_vectors import coupled, kernel_value
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    names = attributes.get("classlabels_ints") or attributes["classlabels_strings"]
    count = len(names)
    chosen, found = [], []
    for row in rows_of(inputs["X"]):
        if attributes.get("vectors_per_class"):
            position, values = by_votes(row, count, attributes)
        else:
            values = linear(row, count, attributes)
            position = largest(values)
        chosen.append(position)
        word = attributes.get("post_transform", "NONE")
        found.append(transformed([rounded(one, "float") for one in values], word))
    pairs = count * (count - 1) // 2
    width = pairs if attributes.get("vectors_per_class") and count > 2 else count
    if attributes.get("prob_a"):
        width = count
    return {"Y": labels(attributes, chosen), "Z": scores(found, width)}


def linear(row: Sequence[float], count: int, attributes: Mapping[str, Any]) -> list[float]:
    weights, rho = floats(attributes["coefficients"]), floats(attributes["rho"])[0]
    return [
        rounded(exact_sum([*zip(row, weights[i * len(row) :], strict=False), (rho, 1.0)]), "float")
        for i in range(count)
    ]


def by_votes(
    row: Sequence[float], count: int, attributes: Mapping[str, Any]
) -> tuple[int, list[float]]:
    sizes = attributes["vectors_per_class"]
    vectors, weights = floats(attributes["support_vectors"]), floats(attributes["coefficients"])
    rho = floats(attributes["rho"])
    total = sum(sizes)
    values = [
        kernel_value(attributes, row, vectors[i * len(row) : (i + 1) * len(row)])
        for i in range(total)
    ]
    begins = [0, *accumulate(sizes)]
    members = [range(begins[i], begins[i + 1]) for i in range(count)]
    votes = [0] * count
    pairs = {}
    for k, (i, j) in enumerate(combinations(range(count), 2)):
        terms = [(weights[(j - 1) * total + v], values[v]) for v in members[i]]
        terms += [(weights[i * total + v], values[v]) for v in members[j]]
        pairs[i, j] = exact_sum([*terms, (rho[k], 1.0)])
        votes[i if pairs[i, j] > 0 else j] += 1
    position = votes.index(max(votes))
    if attributes.get("prob_a"):
        a, b = floats(attributes["prob_a"]), floats(attributes["prob_b"])
        chances = {
            pair: logistic(-(score * a[k] + b[k])) for k, (pair, score) in enumerate(pairs.items())
        }
        return position, coupled(chances, count)
    if count == 2:
        return position, [-pairs[0, 1], pairs[0, 1]]
    return position, list(pairs.values())
