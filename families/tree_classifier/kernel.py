"""The NumPy kernel of TreeEnsembleClassifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import NONE, PROBIT, labels_of, largest, transformed
from opmill._runtime.kernels.tree_lists import Lists, as_features, build, either_list
from opmill._runtime.kernels.trees import SUM, reached_leaves, summed_votes

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
    Z: _Array,
    *,
    nodes_treeids: _Array,
    nodes_nodeids: _Array,
    nodes_featureids: _Array,
    nodes_modes: _Array,
    nodes_truenodeids: _Array,
    nodes_falsenodeids: _Array,
    nodes_values: _Array | None,
    nodes_values_as_tensor: _Array | None,
    nodes_missing: _Array | None,
    vote_treeids: _Array,
    vote_nodeids: _Array,
    vote_ids: _Array,
    vote_weights: _Array | None,
    vote_weights_as_tensor: _Array | None,
    base_values: _Array | None,
    base_values_as_tensor: _Array | None,
    single: int,
    transform: int,
    labels_ints: _Array | None,
    labels_strings: _Array | None,
) -> None:
    """Write the labels, and the transformed sums of votes.

    Raises:
        ContentsError: the lists are no trees. Nothing has been written then.
    """
    values = either_list(nodes_values, nodes_values_as_tensor)
    weights = either_list(vote_weights, vote_weights_as_tensor)
    base = either_list(base_values, base_values_as_tensor)
    assert values is not None
    lists = Lists(
        nodes_treeids,
        nodes_nodeids,
        nodes_featureids,
        nodes_modes,
        nodes_truenodeids,
        nodes_falsenodeids,
        values,
        either_list(nodes_missing, None),
        vote_treeids,
        vote_nodeids,
        vote_ids,
        weights,
        "class_nodeids",
    )
    wide = X.dtype != np.float32 or (weights is not None and weights.dtype == np.float64)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        ensemble = build(lists, X.shape[1])
        leaves = reached_leaves(ensemble, as_features(X, values))
        if single < 0:
            Z[...] = summed_votes(ensemble, leaves, Z.shape[1], SUM, wide, base)
            positions = largest(Z)
        else:
            sums = summed_votes(ensemble, leaves, 2, SUM, wide=wide, base=None)[:, single]
            score = sums if base is None else sums + base[0 if len(base) == 1 else single]
            positive = weights is not None and bool((weights >= 0).all())
            positions = _split_scores(Z, score.astype(np.float32), transform, positive)
    Y[...] = labels_of(positions, labels_ints, labels_strings)
    Z[...] = transformed(Z, transform)


def _split_scores(Z: _Array, score: _Array, transform: int, positive: bool) -> _Array:
    """Write two scores for one, that of the second class; return the positions of the labels.

    Args:
        positive: whether no weight is negative or NaN.
    """
    is_share = transform == PROBIT or (transform == NONE and positive)
    Z[:, 0] = 1 - score if is_share else -score
    Z[:, 1] = score
    limit = 0.5 if positive and transform in (NONE, PROBIT) else 0.0
    return np.asarray(score > limit).astype(np.int64)
