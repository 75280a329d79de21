"""Reference of ensembles of trees: one row and one tree at a time, sums step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.estimators import floats
from opmill_checks.rounding import rounded
from opmill_checks.value import Value

Votes = list[tuple[int, float]]
"""Targets and weights."""

TRUE: Mapping[str, Callable[[float, float], bool]] = {
    "BRANCH_LEQ": lambda x, v: x <= v,
    "BRANCH_LT": lambda x, v: x < v,
    "BRANCH_GTE": lambda x, v: x >= v,
    "BRANCH_GT": lambda x, v: x > v,
    "BRANCH_EQ": lambda x, v: x == v,
    "BRANCH_NEQ": lambda x, v: x != v,
}


def numbers(attributes: Mapping[str, Any], name: str) -> tuple[list[float], bool]:
    """A list of floats, or of doubles in its place, and whether it has doubles."""
    tensor = attributes.get(f"{name}_as_tensor")
    if tensor is not None:
        return list(tensor.items), True
    return floats(attributes.get(name, [])), False


def feature_rows(x: Value, wide: bool) -> list[list[float]]:
    """The features as they are compared: integers as floats, or as doubles where `wide`."""
    type = "double" if wide else "float"
    items = [item if isinstance(item, float) else integer(item, type) for item in x.items]
    return [items[i * x.shape[1] : (i + 1) * x.shape[1]] for i in range(x.shape[0])]


def integer(item: int, type: str) -> float:
    return rounded(Fraction(item), type) if item else 0.0


def votes_of(attributes: Mapping[str, Any], row: Sequence[float], prefix: str) -> Votes:
    """The votes of the leaves that a row reaches, in the order of trees and of lists."""
    trees, nodes = attributes["nodes_treeids"], attributes["nodes_nodeids"]
    position = {key: i for i, key in enumerate(zip(trees, nodes, strict=True))}
    roots: dict[int, int] = {}
    for i, tree in enumerate(trees):
        roots.setdefault(tree, i)
    weights, _ = numbers(attributes, f"{prefix}_weights")
    lists = zip(
        attributes[f"{prefix}_treeids"],
        attributes[f"{prefix}_nodeids"],
        attributes[f"{prefix}_ids"],
        weights,
        strict=True,
    )
    by_node: dict[tuple[int, int], Votes] = {}
    for tree, node, target, weight in lists:
        by_node.setdefault((tree, node), []).append((target, weight))
    found: Votes = []
    for tree, at in roots.items():
        while attributes["nodes_modes"][at] != "LEAF":
            side = "true" if goes_true(attributes, row, at) else "false"
            at = position[tree, attributes[f"nodes_{side}nodeids"][at]]
        found += by_node.get((tree, nodes[at]), [])
    return found


def goes_true(attributes: Mapping[str, Any], row: Sequence[float], at: int) -> bool:
    x = row[attributes["nodes_featureids"][at]]
    if math.isnan(x):
        tracks = attributes.get("nodes_missing_value_tracks_true")
        return bool(tracks and tracks[at])
    values, _ = numbers(attributes, "nodes_values")
    return TRUE[attributes["nodes_modes"][at]](x, values[at])


def aggregated(
    votes: Votes, targets: int, word: str, trees: int, type: str, base: Sequence[float]
) -> list[float]:
    """The numbers of a row; sums have the rounding of a type at each step."""
    result = []
    for target in range(targets):
        weights = [weight for one, weight in votes if one == target]
        number = 0.0
        if word in ("MIN", "MAX"):
            number = (min if word == "MIN" else max)(weights, default=0.0)
        elif weights:
            number = weights[0]
            for weight in weights[1:]:
                number = rounded(number + weight, type)
        if word == "AVERAGE":
            number = rounded(number / max(trees, 1), type)
        if base:
            number = rounded(number + base[target], type)
        result.append(number)
    return result


def sum_type(x: Value, attributes: Mapping[str, Any], prefix: str) -> str:
    """The type in which votes are added."""
    _, doubles = numbers(attributes, f"{prefix}_weights")
    return "double" if doubles or x.type != "float" else "float"
