"""Lists of nodes with ids, as TreeEnsembleClassifier and TreeEnsembleRegressor have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.rule_support import quoted
from opmill._runtime.kernels.trees import LEAF, Ensemble, check_cycles
from opmill._runtime.types import Array

_MODES = {
    "BRANCH_LEQ": 0,
    "BRANCH_LT": 1,
    "BRANCH_GTE": 2,
    "BRANCH_GT": 3,
    "BRANCH_EQ": 4,
    "BRANCH_NEQ": 5,
    "LEAF": LEAF,
}


class Lists(NamedTuple):
    """The lists of nodes and of votes; ``vote_nodes_name`` is for messages."""

    tree_ids: Array
    node_ids: Array
    features: Array
    modes: Array
    true_ids: Array
    false_ids: Array
    values: Array
    missing: Array | None
    vote_trees: Array
    vote_nodes: Array
    vote_targets: Array
    vote_weights: Array | None
    vote_nodes_name: str


def either_list(a: Array | None, b: Array | None) -> Array | None:
    """The array of two that is present and not empty."""
    if a is not None and a.size:
        return a
    return b if b is not None and b.size else None


def as_features(X: Array, values: Array) -> Array:
    """The features to compare with thresholds: integers as floats, unless those are doubles."""
    if X.dtype.kind == "i" and values.dtype == np.float32:
        X = X.astype(np.float32)
    return X.astype(np.float64)


def build(lists: Lists, feature_count: int) -> Ensemble:
    """The ensemble.

    Raises:
        ContentsError: an id, a mode or a feature does not exist, or there is a cycle.
    """
    modes = _modes(lists.modes)
    positions: dict[tuple[int, int], int] = {}
    trees, nodes = lists.tree_ids.tolist(), lists.node_ids.tolist()
    for i, key in enumerate(zip(trees, nodes, strict=True)):
        if key in positions:
            raise ContentsError(
                f"nodes_nodeids[{i}] is {key[1]}, expected one node of this id in tree {key[0]}"
            )
        positions[key] = i
    is_leaf = modes == LEAF
    follower = np.where(is_leaf, ~(np.cumsum(is_leaf) - 1), np.arange(len(modes)))
    next = _links(lists, is_leaf, follower, positions, feature_count)
    leaf_count = int(is_leaf.sum())
    owners = _vote_leaves(lists, follower, positions)
    order = np.argsort(owners, kind="stable")
    order = order[owners[order] >= 0]
    first_vote = np.searchsorted(owners[order], np.arange(leaf_count + 1))
    _, firsts = np.unique(lists.tree_ids, return_index=True)
    missing = lists.missing
    weights = np.zeros(0) if lists.vote_weights is None else lists.vote_weights
    ensemble = Ensemble(
        mode=modes,
        feature=np.where(is_leaf, 0, lists.features),
        split=lists.values.astype(np.float64),
        missing=np.zeros(len(modes), np.bool_) if missing is None else missing != 0,
        next=next,
        roots=follower[np.sort(firsts)],
        first_vote=first_vote,
        vote_target=lists.vote_targets[order],
        vote_weight=weights[order],
        sets={},
    )
    check_cycles(ensemble)
    return ensemble


def _modes(words: Array) -> Array:
    for i, word in enumerate(words.tolist()):
        if word not in _MODES:
            raise ContentsError(
                f"nodes_modes[{i}] is '{quoted(word)}', "
                "expected 'LEAF' or 'BRANCH_' with LEQ, LT, GTE, GT, EQ or NEQ"
            )
    return np.array([_MODES[word] for word in words.tolist()], np.int64)


def _links(
    lists: Lists,
    is_leaf: Array,
    follower: Array,
    positions: Mapping[tuple[int, int], int],
    feature_count: int,
) -> Array:
    """The successors of each node, for a false and a true comparison; of a leaf, itself."""
    next = np.stack([follower, follower], axis=1)
    names = ("nodes_truenodeids", lists.true_ids, 1), ("nodes_falsenodeids", lists.false_ids, 0)
    for i in np.flatnonzero(~is_leaf):
        feature, tree = int(lists.features[i]), int(lists.tree_ids[i])
        if not 0 <= feature < feature_count:
            raise ContentsError(
                f"nodes_featureids[{i}] is {feature}, expected 0 to {feature_count - 1}"
            )
        for name, ids, side in names:
            position = positions.get((tree, int(ids[i])))
            if position is None:
                raise ContentsError(f"{name}[{i}] is {ids[i]}, expected a node of tree {tree}")
            next[i, side] = follower[position]
    return next


def _vote_leaves(lists: Lists, follower: Array, positions: Mapping[tuple[int, int], int]) -> Array:
    """The leaf of each vote; less than 0 for a node that is none."""
    found = []
    pairs = zip(lists.vote_trees.tolist(), lists.vote_nodes.tolist(), strict=True)
    for i, (tree, node) in enumerate(pairs):
        position = positions.get((tree, node))
        if position is None:
            raise ContentsError(
                f"{lists.vote_nodes_name}[{i}] is {node}, expected a node of tree {tree}"
            )
        found.append(~int(follower[position]))
    return np.array(found, np.int64)
