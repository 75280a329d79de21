"""Bounds what a model from an unknown source takes: its nodes, and the memory of its values.

A value counts while its memory is in use, wherever that is: as a value of a graph, in a list that a
loop collects, or through a view. Inputs of the run, initializers and the scratch memory of kernels
do not count.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from sys import getsizeof
from typing import Any, NamedTuple

import numpy as np

from opmill._model.errors import ModelError
from opmill._runtime import memory
from opmill._runtime.containers import copied
from opmill._runtime.types import Array

MIN_BYTES = 128
"""The bytes that an array counts at least: those of the object itself."""

MAX_NODES = 200_000
"""Functions that call functions can stand for more nodes than any memory holds."""

_active: ContextVar[Budget | None] = ContextVar("opmill_budget", default=None)

active = _active.get
"""The budget of the context; ``None`` where memory is not bounded."""


class Limits(NamedTuple):
    """Limits on the resources that reading a model may use.

    Args:
        max_bytes: the maximum of bytes of constants that nodes are; ``None`` for any number.
        max_nodes: the maximum number of nodes.
    """

    max_bytes: int | None = None
    max_nodes: int = MAX_NODES

    def check_bytes(self, count: int, where: str) -> None:
        """Refuse constants that take too much memory.

        Raises:
            ModelError: they do.
        """
        if self.max_bytes is not None and count > self.max_bytes:
            raise ModelError(
                f"{where}: constants of nodes have {count} bytes, expected at most "
                f"{self.max_bytes} (max_bytes)"
            )


NO_LIMITS = Limits()


class Budget:
    """The memory of the values of one run.

    Args:
        limit: the maximum number of bytes.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used = 0
        self._owners: dict[int, weakref.ref[Array]] = {}

    @contextmanager
    def bounding(self) -> Iterator[None]:
        """Bound what is computed in a ``with`` block."""
        tokens = _active.set(self), memory.limit.set(self.reserve)
        try:
            yield
        finally:
            _active.reset(tokens[0])
            memory.limit.reset(tokens[1])

    def reserve(self, count: int) -> None:
        """Refuse an allocation that exceeds the limit.

        Raises:
            MemoryError: it does.
        """
        if self._used + count > self._limit:
            raise MemoryError(
                f"{count} bytes beside {self._used} in use, expected at most {self._limit} "
                "(max_bytes)"
            )

    def add(self, results: Sequence[Any], arguments: Sequence[Any] = ()) -> None:
        """Count the results of a node until their memory is free again.

        Args:
            results: arrays, lists of arrays, and ``None``.
            arguments: the inputs of the node, whose memory results may share.

        Raises:
            MemoryError: they exceed the limit, which nothing but their contents shows.
        """
        shared = {id(_owner(array)) for array in _arrays(arguments)}
        for array in _arrays(results):
            owner = _owner(array)
            key = id(owner)
            if key in shared or key in self._owners:
                continue
            count = max(_bytes(owner), MIN_BYTES)
            self._owners[key] = weakref.ref(owner, self._freeing(key, count))
            self._used += count
        self.reserve(0)

    def _freeing(self, key: int, count: int) -> Any:
        def free(_: weakref.ref[Array]) -> None:
            del self._owners[key]
            self._used -= count

        return free


def counted_copy(value: Any) -> Any:
    """A value in memory of its own, which counts in the budget of the context.

    Raises:
        MemoryError: it does not fit.
    """
    bounds = active()
    if bounds is None:
        return copied(value)
    bounds.reserve(sum(map(_bytes, _arrays([value]))))
    copy = copied(value)
    bounds.add([copy])
    return copy


def _arrays(values: Any) -> Iterator[Array]:
    """The arrays of values, those of sequences too."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, list):
            yield from _arrays(value)


def _owner(array: Array) -> Array:
    """The array whose memory an array shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _bytes(array: Array) -> int:
    """The bytes of an array, with those of its strings."""
    if array.dtype != object:
        return array.nbytes
    strings = {id(text): text for text in array.flat}
    return array.nbytes + sum(map(getsizeof, strings.values()))
