"""The NumPy kernel of Unique: elements become their ranks, and rows of these are sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.halves import widened
from opmill._runtime.kernels.texts import texts_of


def measure(
    X: NDArray[Any], *, axis: int, flat: bool, ascending: bool
) -> tuple[tuple[int, ...], ...]:
    """As many results as there are groups of equal elements or slices."""
    shape = (X.size,) if flat else X.shape
    items = shape[axis]
    count = min(items, 1) if _is_trivial(X, items) else len(_groups(X, axis, flat, ascending)[0])
    return (*shape[:axis], count, *shape[axis + 1 :]), (count,), (items,), (count,)


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    indices: NDArray[Any] | None,
    inverse_indices: NDArray[Any] | None,
    counts: NDArray[Any] | None,
    *,
    axis: int,
    flat: bool,
    ascending: bool,
) -> None:
    """Write the distinct elements or slices, their first positions, inverse indices and counts."""
    first, inverse, sizes = _groups(X, axis, flat, ascending)
    Y[...] = X.reshape(-1)[first] if flat else np.take(X, first, axis)
    for output, result in ((indices, first), (inverse_indices, inverse), (counts, sizes)):
        if output is not None:
            output[...] = result


def _is_trivial(X: NDArray[Any], items: int) -> bool:
    """Return whether all items are equal, because they have no elements, or there is none."""
    return X.size == 0 or items == 0


def _groups(
    X: NDArray[Any], axis: int, flat: bool, ascending: bool
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Of each group the first item; of each item its group; of each group the number of items."""
    items = X.size if flat else X.shape[axis]
    if _is_trivial(X, items):
        first_count = min(items, 1)
        return (
            np.zeros(first_count, np.int64),
            np.zeros(items, np.int64),
            np.full(first_count, items),
        )
    ranks, is_nan = _ranks(X.reshape(-1) if flat else np.moveaxis(X, axis, 0).reshape(items, -1))
    if flat:
        found = np.unique(ranks, return_index=True, return_inverse=True, return_counts=True)
    else:  # a slice with a NaN equals no other: its number sets it apart
        alone = np.where(is_nan.any(axis=1), np.arange(items) + 1, 0)
        rows = np.concatenate((ranks, alone[:, np.newaxis]), axis=1)
        found = np.unique(rows, True, True, True, axis=0)
    _, first, inverse, sizes = found
    inverse = inverse.reshape(-1)
    if not ascending:
        order = np.argsort(first)
        number = np.empty_like(order)
        number[order] = np.arange(len(order))
        first, inverse, sizes = first[order], number[inverse], sizes[order]
    return first, inverse, sizes


def _ranks(X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each element how many distinct ones come before it, NaN last; and whether it is NaN."""
    if X.dtype.kind == "c":
        (real, a), (imaginary, b) = _ranks(X.real), _ranks(X.imag)
        pairs = real * (int(imaginary.max()) + 1) + imaginary
        is_nan = a | b
        return np.where(is_nan, pairs.max() + 1, pairs), is_nan
    if X.dtype.kind in "OSUT":
        texts = texts_of(X, "X").reshape(-1).tolist()
        positions = {text: position for position, text in enumerate(sorted(set(texts)))}
        ranks = np.array([positions[text] for text in texts], np.int64)
        return ranks.reshape(X.shape), np.zeros(X.shape, np.bool_)
    values: NDArray[Any] = widened(X)
    is_nan = np.isnan(values) if values.dtype.kind == "f" else np.zeros(X.shape, np.bool_)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        ranks = np.unique(values, return_inverse=True)[1]
    return ranks.reshape(X.shape), is_nan
