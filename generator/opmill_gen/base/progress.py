"""Reports of runs that take longer than two seconds: a bar in a terminal, elsewhere plain lines.

``OPMILL_PROGRESS=0`` turns both off.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

import click

_PATIENCE = 1.0  # seconds
_REFRESH = 0.1  # seconds
_FIRST_LINE = 2.0  # seconds
_NEXT_LINE = 10.0  # seconds
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
    """A bar on standard error, from the second second on; plain lines where that is no terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not wanted or os.environ.get("OPMILL_PROGRESS") == "0":
        yield silent
    elif console.is_terminal:
        with _bar(console) as passed:
            yield passed
    else:
        yield _lines()


@contextmanager
def _bar(console: object) -> Iterator[Progress]:
    from rich import progress

    # Without a thread of its own: a process that is forked while one draws may hang.
    bar = progress.Progress(console=console, transient=True, auto_refresh=False)  # type: ignore[arg-type]
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


def _lines() -> Progress:
    """A line after two seconds and then every ten, with how many items are done."""
    due = _clock() + _FIRST_LINE

    def passed(what: str, items: Sequence[ItemT], /) -> Iterable[ItemT]:
        nonlocal due
        for done, item in enumerate(items):
            if _clock() >= due:
                click.echo(f"{what}: {done} of {len(items)}", err=True)
                due = _clock() + _NEXT_LINE
            yield item

    return passed
