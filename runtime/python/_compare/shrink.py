"""Reduces the inputs of a call for as long as two runtimes still differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any

import numpy as np

Inputs = Mapping[str, Any]

_ATTEMPTS = 400


def shrunk(inputs: Inputs, differs: Callable[[Inputs], bool], seconds: float = 30.0) -> Inputs:
    """Return smaller inputs for which ``differs`` is still true.

    Axes are halved: alone, and together with all axes of the same size, since inputs of one call
    often share sizes. Then numbers are replaced by 0 and 1, and rounded.

    Args:
        inputs: the inputs by name, for which it is true.
        differs: whether inputs still show the difference; false of inputs that are not legal.
        seconds: the time after which no further inputs are tried.
    """
    end, attempts = monotonic() + seconds, 0
    for smaller in (_smaller, _simpler):
        reduced = True
        while reduced:
            reduced = False
            for candidate in smaller(inputs):
                attempts += 1
                if attempts > _ATTEMPTS or monotonic() > end:
                    return inputs
                if differs(candidate):
                    inputs, reduced = candidate, True
                    break
    return inputs


def _smaller(inputs: Inputs) -> Iterator[Inputs]:
    """Inputs with fewer elements, the smallest first."""
    arrays = {name: one for name, one in inputs.items() if isinstance(one, np.ndarray)}
    axes = [
        (name, axis, size) for name, one in arrays.items() for axis, size in enumerate(one.shape)
    ]
    groups: list[list[tuple[str, int, int]]] = []
    for size in sorted({size for *_, size in axes if size > 1}, reverse=True):
        alike = [one for one in axes if one[2] == size]
        groups += [alike, *([one] for one in alike if len(alike) > 1)]
    for group in groups:
        size = group[0][2]
        for start, stop in _parts(size):
            candidate = dict(inputs)
            for name, axis, _ in group:
                taken = candidate[name].take(range(start, stop), axis)
                candidate[name] = np.ascontiguousarray(taken).reshape(taken.shape)
            yield candidate


def _parts(size: int) -> Iterator[tuple[int, int]]:
    half = size // 2
    yield from dict.fromkeys(((0, 1), (0, half), (half, size), (0, size - 1), (1, size)))


def _simpler(inputs: Inputs) -> Iterator[Inputs]:
    """Inputs of the same shapes whose numbers are easier to read."""
    for name, array in inputs.items():
        if not isinstance(array, np.ndarray) or array.dtype.kind in "OSUTb" or not array.size:
            continue
        with np.errstate(all="ignore"):
            changed = (np.zeros_like(array), np.ones_like(array), _rounded(array))
        weights = [_weight(one) for one in changed]
        for one, weight in zip(changed, weights, strict=True):
            if weight < _weight(array) and one.tobytes() != array.tobytes():
                yield {**inputs, name: one}


def _rounded(array: Any) -> Any:
    """The numbers without digits behind the point."""
    if array.dtype.kind in "iuc":
        return array
    return np.trunc(array.astype(np.float64)).astype(array.dtype)


def _weight(array: Any) -> int:
    """Effort to read numbers: those that are 0, 1 or whole count less."""
    kind = np.complex128 if array.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        wide = array.astype(kind)
        whole = wide == np.round(wide)
    return int(3 * (~whole).sum() + (whole & (wide != 0) & (wide != 1)).sum() + (wide != 0).sum())
