"""Reference of TreeEnsemble, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.estimators import WORDS, scores, transformed
from opmill_checks.rounding import rounded
from opmill_checks.trees import TRUE, Votes, aggregated
from opmill_checks.value import Value

MODES = list(TRUE)
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    targets = attributes["n_targets"]
    aggregate = AGGREGATES[attributes.get("aggregate_function", 1)]
    word = WORDS[attributes.get("post_transform", 0)]
    type = "double" if x.type == "double" else "float"
    sets = sets_of(attributes)
    roots = attributes["tree_roots"]
    found = []
    for i in range(x.shape[0]):
        row = x.items[i * x.shape[1] : (i + 1) * x.shape[1]]
        votes: Votes = []
        for root in roots:
            leaf = leaf_of(attributes, sets, row, root)
            weight = attributes["leaf_weights"].items[leaf]
            votes.append((attributes["leaf_targetids"][leaf], weight))
        sums = aggregated(votes, targets, aggregate, len(roots), type, [])
        found.append(transformed([rounded(one, x.type) for one in sums], word))
    return {"Y": scores(found, targets, x.type)}


def sets_of(attributes: Mapping[str, Any]) -> dict[int, set[float]]:
    """The set of each node that has one."""
    members = attributes.get("membership_values")
    rest = list(members.items) if members is not None else []
    sets = {}
    for node, mode in enumerate(attributes["nodes_modes"].items):
        if mode == 6:
            end = next(i for i, item in enumerate(rest) if math.isnan(item))
            sets[node] = set(rest[:end])
            rest = rest[end + 1 :]
    return sets


def leaf_of(
    attributes: Mapping[str, Any], sets: Mapping[int, set[float]], row: Sequence[float], node: int
) -> int:
    """The leaf that a row reaches from a node."""
    x = row[attributes["nodes_featureids"][node]]
    mode = attributes["nodes_modes"].items[node]
    if math.isnan(x):
        tracks = attributes.get("nodes_missing_value_tracks_true")
        truth = bool(tracks and tracks[node])
    elif mode == 6:
        truth = x in sets[node]
    else:
        truth = TRUE[MODES[mode]](x, attributes["nodes_splits"].items[node])
    side = "true" if truth else "false"
    at: int = attributes[f"nodes_{side}nodeids"][node]
    is_leaf = attributes[f"nodes_{side}leafs"][node]
    return at if is_leaf else leaf_of(attributes, sets, row, at)
