"""Progress reports of long runs: the command line shows bars, functions report nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

Progress = Callable[[str, Sequence[Any]], Iterable[Any]]
"""Passes on what there is to do, and may show how far it is; the text says what is done."""


def silent(what: str, items: Sequence[Any]) -> Iterable[Any]:
    """Show nothing."""
    return items
