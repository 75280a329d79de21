"""The NumPy kernel of TreeEnsemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError
from opmill._runtime.kernels.estimators import transformed
from opmill._runtime.kernels.trees import (
    MEMBER,
    Ensemble,
    check_cycles,
    reached_leaves,
    summed_votes,
)
from opmill._runtime.rule_support import counted

_Array = NDArray[Any]


def compute(
    X: _Array,
    Y: _Array,
    *,
    aggregate: int,
    transform: int,
    tree_roots: _Array,
    nodes_featureids: _Array,
    nodes_modes: _Array,
    nodes_splits: _Array,
    nodes_truenodeids: _Array,
    nodes_trueleafs: _Array,
    nodes_falsenodeids: _Array,
    nodes_falseleafs: _Array,
    nodes_missing: _Array | None,
    membership_values: _Array | None,
    leaf_targetids: _Array,
    leaf_weights: _Array,
) -> None:
    """Write the transformed sums of votes.

    Raises:
        ContentsError: a mode or a set does not exist, or there is a cycle. Nothing has been
            written then.
    """
    missing = np.zeros(len(nodes_modes), np.bool_)
    if nodes_missing is not None and nodes_missing.size > 0:
        missing = np.asarray(nodes_missing != 0)
    with np.errstate(all="ignore"):  # infinities and NaNs are legal
        ensemble = Ensemble(
            mode=nodes_modes.astype(np.int64),
            feature=nodes_featureids,
            split=nodes_splits.astype(np.float64),
            missing=missing,
            next=np.stack(
                [
                    np.where(nodes_falseleafs != 0, ~nodes_falsenodeids, nodes_falsenodeids),
                    np.where(nodes_trueleafs != 0, ~nodes_truenodeids, nodes_truenodeids),
                ],
                axis=1,
            ),
            roots=tree_roots,
            first_vote=np.arange(len(leaf_weights) + 1),
            vote_target=leaf_targetids,
            vote_weight=leaf_weights,
            sets=_sets(nodes_modes, membership_values),
        )
        check_cycles(ensemble)
        leaves = reached_leaves(ensemble, X.astype(np.float64))
        wide = X.dtype == np.float64
        numbers = summed_votes(ensemble, leaves, Y.shape[1], aggregate, wide=wide, base=None)
        Y[...] = numbers
        Y[...] = transformed(Y, transform)


def _sets(modes: _Array, members: _Array | None) -> dict[int, _Array]:
    """The members of each node that has a set, in the order of nodes; a NaN ends each set."""
    for i in np.flatnonzero(modes > MEMBER)[:1]:
        raise ContentsError(f"nodes_modes[{i}] is {modes[i]}, expected 0 to {MEMBER}")
    nodes = np.flatnonzero(modes == MEMBER).tolist()
    values = np.zeros(0) if members is None else members.astype(np.float64)
    if values.size and not np.isnan(values[-1]):
        raise ContentsError("membership_values has no NaN at its end, expected one after each set")
    ends = np.flatnonzero(np.isnan(values))
    if len(ends) != len(nodes):
        raise ContentsError(
            f"membership_values has {counted(len(ends), 'set', 'sets')}, "
            f"expected {len(nodes)} (nodes of mode {MEMBER})"
        )
    parts = np.split(values, ends + 1)[:-1]
    return {node: part[:-1] for node, part in zip(nodes, parts, strict=True)}
