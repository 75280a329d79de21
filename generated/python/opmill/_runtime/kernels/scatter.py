"""Updates that are written to elements of an array, one after the other."""

from __future__ import annotations

import numpy as np

from opmill._runtime.kernels.indices import movable
from opmill._runtime.types import Array


def scatter(target: Array, positions: Array, updates: Array, reduction: str) -> None:
    """Combine elements of an array with updates, each position's in their order.

    Args:
        target: an array whose first axis is selected from; changed.
        positions: of that axis, 1-D, counted from the front, possibly repeated.
        updates: a slice of the target for each of them.
        reduction: ``none``, ``add``, ``mul``, ``max`` or ``min``.
    """
    if reduction == "none":
        order, first = _by_position(positions)
        last = np.append(first[1:], len(positions)) - 1  # of several updates the last one remains
        chosen = order[last] if len(positions) else order
        movable(target)[positions[chosen]] = movable(updates)[chosen]
        return
    order, first = _by_position(positions)
    turn = np.arange(len(positions)) - np.repeat(first, np.diff(np.append(first, len(positions))))
    by_turn = order[np.argsort(turn, kind="stable")]
    ends = np.cumsum(np.bincount(turn)) if len(positions) else np.zeros(0, np.int64)
    begin = 0
    for end in ends.tolist():  # in each turn, every position has one update at most
        chosen = by_turn[begin:end]
        where = positions[chosen]
        target[where] = _combined(target[where], updates[chosen], reduction)
        begin = end


def _by_position(positions: Array) -> tuple[Array, Array]:
    """The updates ordered by position, those of one in their order, and where each begins."""
    order = np.argsort(positions, kind="stable")
    ordered = positions[order]
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(positions)])
    return order, first


def _combined(old: Array, update: Array, reduction: str) -> Array:
    if old.dtype.kind == "b":
        return old | update if reduction in ("add", "max") else old & update
    with np.errstate(all="ignore"):
        if reduction == "add":
            return np.asarray(old + update)
        if reduction == "mul":
            return _product(old, update)
        wins = old > update if reduction == "max" else old < update
        return np.where(wins | (old != old), old, update)


def _product(old: Array, update: Array) -> Array:
    """The product; of complex numbers by the formula, each step rounded."""
    if old.dtype.kind != "c":
        return np.asarray(old * update)
    result = np.empty_like(old)
    result.real = old.real * update.real - old.imag * update.imag
    result.imag = old.real * update.imag + old.imag * update.real
    return result
