"""The NumPy kernel of TreeEnsembleRegressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.estimators import transformed
from opmill._runtime.kernels.tree_lists import Lists, as_features, build, either_list
from opmill._runtime.kernels.trees import reached_leaves, summed_votes

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
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
    aggregate: int,
    transform: int,
) -> None:
    """Write the transformed sums of votes.

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
        "target_nodeids",
    )
    wide = X.dtype != np.float32 or (weights is not None and weights.dtype == np.float64)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        ensemble = build(lists, X.shape[1])
        leaves = reached_leaves(ensemble, as_features(X, values))
        Y[...] = summed_votes(ensemble, leaves, Y.shape[1], aggregate, wide, base)
    Y[...] = transformed(Y, transform)
