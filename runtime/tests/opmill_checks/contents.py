"""Error by which an oracle says that an operator must refuse the contents of an input."""

from __future__ import annotations


class RefusedContents(Exception):
    """An element that cannot be computed with.

    Args:
        position: its number in row-major order.
        reason: how the error's text ends.
    """

    def __init__(self, position: int, reason: str) -> None:
        super().__init__(position, reason)
        self.position = position
        self.reason = reason
