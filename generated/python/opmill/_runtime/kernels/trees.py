"""Ensembles of decision trees: one form for all operators, and how rows of features pass it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opmill._runtime.errors import ContentsError
from opmill._runtime.types import Array

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER, LEAF = range(8)
"""The comparisons of nodes, numbered as TreeEnsemble-5 does; then what is no comparison."""

AVERAGE, SUM, MIN, MAX = range(4)
"""Aggregations of the votes of a target, numbered as TreeEnsemble-5 does."""

_COMPARE = {
    LEQ: np.less_equal,
    LT: np.less,
    GTE: np.greater_equal,
    GT: np.greater,
    EQ: np.equal,
    NEQ: np.not_equal,
}


class Ensemble(NamedTuple):
    """Nodes, an entry of each list for each, and leaves, which have numbers of their own.

    Args:
        next: of each node, what follows if the comparison is false, and if it is true: the
            position of a node, or ~i for leaf i.
        missing: which one follows for NaN.
        roots: of each tree what ``next`` has.
        first_vote: of each leaf the position of its first vote; then the number of votes.
        sets: of a node of mode MEMBER its members.
    """

    mode: Array
    feature: Array
    split: Array
    missing: Array
    next: Array
    roots: Array
    first_vote: Array
    vote_target: Array
    vote_weight: Array
    sets: dict[int, Array]


def check_cycles(ensemble: Ensemble) -> None:
    """Refuse nodes that are their own descendants.

    Raises:
        ContentsError: there is one.
    """
    new, second, done = 0, 2, 3
    state = [new] * len(ensemble.mode)
    follows = ensemble.next.tolist()
    for root in ensemble.roots.tolist():
        stack = [root] if root >= 0 and state[root] == new else []
        while stack:
            node = stack[-1]
            if state[node] == second:
                state[node] = done
                stack.pop()
                continue
            child = follows[node][1 if state[node] == new else 0]
            state[node] += 1
            if child >= 0 and state[child] == new:
                stack.append(child)
            elif child >= 0 and state[child] != done:
                raise ContentsError(
                    f"node {child} is its own descendant, expected trees without cycles"
                )


def reached_leaves(ensemble: Ensemble, features: Array) -> Array:
    """The leaf of each row in each tree; a level of all trees at a time."""
    at = np.tile(ensemble.roots, (len(features), 1))
    rows = np.broadcast_to(np.arange(len(features))[:, None], at.shape)
    modes = np.unique(ensemble.mode)
    while True:
        inner = at >= 0
        if not inner.any():
            return ~at
        node = at[inner]
        x = features[rows[inner], ensemble.feature[node]]
        truth = np.zeros(len(node), np.bool_)
        for mode in modes:
            here = ensemble.mode[node] == mode
            if mode == MEMBER:
                truth[here] = _are_members(ensemble, node[here], x[here])
            elif mode != LEAF:
                truth[here] = _COMPARE[int(mode)](x[here], ensemble.split[node[here]])
        truth = np.where(np.isnan(x), ensemble.missing[node], truth)
        at[inner] = ensemble.next[node, truth.astype(np.intp)]


def _are_members(ensemble: Ensemble, nodes: Array, x: Array) -> Array:
    found = np.zeros(len(nodes), np.bool_)
    for node in np.unique(nodes):
        here = nodes == node
        found[here] = np.isin(x[here], ensemble.sets[int(node)])
    return found


def summed_votes(
    ensemble: Ensemble, leaves: Array, targets: int, aggregate: int, wide: bool, base: Array | None
) -> Array:
    """The number of each row and target; votes are added in the order of trees, then the base.

    Args:
        wide: whether votes are added in double, else in float.
    """
    type = np.float64 if wide else np.float32
    numbers = np.zeros((len(leaves), targets), type)
    seen = np.zeros(numbers.shape, np.bool_)
    weights = ensemble.vote_weight.astype(type)
    for tree in range(leaves.shape[1]):
        first = ensemble.first_vote[leaves[:, tree]]
        end = ensemble.first_vote[leaves[:, tree] + 1]
        for i in range(int((end - first).max(initial=0))):
            rows = np.flatnonzero(first + i < end)
            vote = first[rows] + i
            at = rows, ensemble.vote_target[vote]
            joined = _combined(aggregate, numbers[at], weights[vote])
            numbers[at] = np.where(seen[at], joined, weights[vote])
            seen[at] = True
    if aggregate == AVERAGE:
        numbers /= type(max(len(ensemble.roots), 1))
    return numbers if base is None else np.asarray(numbers + base.astype(type))


def _combined(aggregate: int, a: Array, b: Array) -> Array:
    if aggregate == MIN:
        return np.where(b < a, b, a)
    if aggregate == MAX:
        return np.where(b > a, b, a)
    return np.asarray(a + b)
