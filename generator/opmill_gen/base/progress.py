"""A bar for runs that take longer than a second, where somebody is looking at a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

_PATIENCE = 1.0  # seconds
_REFRESH = 0.1  # seconds
_clock = time.monotonic

ItemT = TypeVar("ItemT")


class Progress(Protocol):
    """Passes on what there is to do, one after the other, and may show how far it is."""

    def __call__(self, what: str, items: Sequence[ItemT], /) -> Iterable[ItemT]:
        """The items; ``what`` says in a word what is done to them."""


def silent(what: str, items: Sequence[ItemT], /) -> Iterable[ItemT]:
    """Show nothing."""
    return items


@contextmanager
def shown(wanted: bool) -> Iterator[Progress]:
    """A bar on standard error, from the second second on; nothing where that is no terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not wanted or not console.is_terminal:
        yield silent
        return
    from rich import progress

    # Without a thread of its own: a process that is forked while one draws may hang.
    bar = progress.Progress(console=console, transient=True, auto_refresh=False)
    started = _clock()
    drawn = started

    def passed(what: str, items: Sequence[ItemT], /) -> Iterable[ItemT]:
        nonlocal drawn
        task = bar.add_task(what, total=len(items))
        for item in items:
            if not bar.live.is_started and _clock() - started > _PATIENCE:
                bar.start()
            yield item
            bar.advance(task)
            if bar.live.is_started and _clock() - drawn > _REFRESH:
                drawn = _clock()
                bar.refresh()

    try:
        yield passed
    finally:
        bar.stop()
