"""Row-major index arithmetic on plain tuples, for the oracles.

No dimension of an empty tensor is enumerated, so that it may have dimensions of any size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

Index = tuple[int, ...]


def unravel(position: int, shape: Sequence[int]) -> Index:
    """The index of the element that is number ``position`` in row-major order."""
    reversed_index = []
    for dim in reversed(shape):
        position, coordinate = divmod(position, dim)
        reversed_index.append(coordinate)
    return tuple(reversed(reversed_index))


def ravel(index: Sequence[int], shape: Sequence[int]) -> int:
    """The number of the element at ``index`` in row-major order."""
    position = 0
    for coordinate, dim in zip(index, shape, strict=True):
        position = position * dim + coordinate
    return position


def indices(shape: Sequence[int]) -> Iterator[Index]:
    """Every index of a tensor of this shape, in row-major order."""
    return iter(()) if 0 in shape else itertools.product(*map(range, shape))
