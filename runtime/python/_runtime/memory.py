"""The limit of the memory that values of a context may take, which a model's run can set."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

Reserve = Callable[[int], None]
"""Is called with a number of bytes before they are allocated.

Raises:
    MemoryError: they are too many.
"""

limit: ContextVar[Reserve | None] = ContextVar("opmill_memory", default=None)
"""What the context asks; ``None`` for memory without a limit."""


def reserve(count: int) -> None:
    """Ask the context whether so many bytes may be allocated.

    Raises:
        MemoryError: they are too many.
    """
    ask = limit.get()
    if ask is not None:
        ask(count)
