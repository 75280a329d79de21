"""Applies a function to many items in several processes, where that is worth it."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

_MIN_ITEMS = 100
"""Minimum number of items before processes pay off."""
_task: tuple[Callable[[Any], Any], Sequence[Any]]


def in_processes(
    function: Callable[[ItemT], ResultT],
    items: Sequence[ItemT],
    progress: Callable[[Sequence[ItemT]], Iterable[ItemT]],
) -> Iterator[ResultT]:
    """Yield ``function(item)`` for each item, in order.

    Children are forked, so that neither the function nor the items need be pickled; only results
    are. Systems that cannot fork safely compute in this process.

    Args:
        function: must not depend on what earlier calls changed.
        items: its arguments.
        progress: passes on the items, and shows how far it is.
    """
    global _task
    processes = min(_processors(), len(items) // _MIN_ITEMS)
    if processes < 2 or sys.platform != "linux" or multiprocessing.current_process().daemon:
        yield from map(function, progress(items))
        return
    _task = (function, items)
    gc.freeze()  # what the collector moved, each child would copy
    try:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            results = pool.imap(_call, range(len(items)), chunksize=8)
            for _, result in zip(progress(items), results, strict=True):
                yield result
    finally:
        gc.unfreeze()
        del _task


def _call(index: int) -> Any:
    function, items = _task
    return function(items[index])


def _processors() -> int:
    """The number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
