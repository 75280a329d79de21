"""The NumPy kernel of TfIdfVectorizer: a dictionary of the pool, and the n-grams of each row."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.texts import texts_of


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: list[int],
    ngram_indexes: NDArray[Any],
    pool_int64s: NDArray[Any] | None,
    pool_strings: NDArray[Any] | None,
    weights: NDArray[Any] | None,
) -> None:
    """Write for each row of ``X`` what the n-grams of the pool that occur in it contribute."""
    given = pool_int64s if pool_int64s is not None else pool_strings
    pool = [] if given is None else given.tolist()
    tokens = texts_of(X, "X") if X.dtype.kind in "OSTU" else X
    tables, grams = _tables(pool, ngram_counts, min_gram_length, max_gram_length)
    width = Y.shape[-1]
    rows = Y.reshape(-1, width)
    for row, result in zip(tokens.reshape(len(rows), -1 if X.size else 0), rows, strict=True):
        counts = _counts(row.tolist(), tables, len(grams), max_skip_count)[grams]
        used = np.flatnonzero(counts)
        parts = counts[used].astype(np.float32)
        if mode == "IDF":
            parts = np.ones_like(parts)
        if mode != "TF" and weights is not None:
            with np.errstate(all="ignore"):
                parts *= weights[used]
        result[...] = 0
        with np.errstate(all="ignore"):
            np.add.at(result, ngram_indexes[used], parts)


def _tables(
    pool: list[Any], starts: list[int], shortest: int, longest: int
) -> tuple[dict[int, dict[Any, int]], list[int]]:
    """By length the number of each n-gram; and of each n-gram of the pool its number."""
    tables: dict[int, dict[Any, int]] = {}
    numbers: list[int] = []
    ends = [*starts[1:], len(pool)]
    for length, (start, end) in enumerate(zip(starts, ends, strict=True), 1):
        table: dict[Any, int] = {}
        for at in range(start, end, length):
            numbers.append(table.setdefault(tuple(pool[at : at + length]), len(numbers)))
        if shortest <= length <= longest:
            tables[length] = table
    return tables, numbers


def _counts(
    row: list[Any], tables: dict[int, dict[Any, int]], count: int, max_skips: int
) -> NDArray[Any]:
    """The number of occurrences of each n-gram, by its number."""
    counts = np.zeros(count, np.int64)
    for length, table in tables.items():
        last = length - 1
        skips = min(max_skips, (len(row) - 1) // last - 1) if last else 0
        for step in range(1, skips + 2) if table else ():
            starts = (islice(row, k * step, None) for k in range(length))
            for gram in zip(*starts, strict=False):
                number = table.get(gram)
                if number is not None:
                    counts[number] += 1
    return counts
