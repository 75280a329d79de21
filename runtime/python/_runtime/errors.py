"""The errors of this package: ``Error``, the base of all, and ``OpError``, what operators refuse.

The text is the same on every backend: ``Tile-13: axis is 5, expected -2 to 1``.
"""

from __future__ import annotations

from collections.abc import Sequence

from opmill._runtime import messages
from opmill._runtime.public import public

MESSAGE_BYTES = 255
"""The length of an operator's message, in bytes of UTF-8, is at most this (a C buffer holds it)."""


def cut(text: str, limit: int) -> str:
    """``text`` cut to at most ``limit`` bytes of UTF-8, never inside a character."""
    encoded = text.encode("utf-8", "backslashreplace")
    if len(encoded) <= limit:
        return text
    return encoded[:limit].decode("utf-8", "ignore")


def one_of(words: Sequence[str]) -> str:
    """The words that a message expects: ``int64``, ``one of double, float``."""
    return words[0] if len(words) == 1 else messages.ONE_OF.format(", ".join(words))


@public
class Error(Exception):
    """The base class of all errors that this package defines."""

    location: str = ""
    """The location in a model, as ``node 0 'tile' of ai.onnx``, before the message; or empty."""

    def __str__(self) -> str:
        return f"{self.location}: {self._text()}" if self.location else self._text()

    def _text(self) -> str:
        return super().__str__()


@public
class OpError(Error, ValueError):
    """An operator version refuses a call; nothing has been written to its outputs.

    Args:
        label: the operator and its version, as ``Tile-13``.
        reason: the message without the label: the parameter, what was given and what was expected.
            It is cut so that the whole message has at most 255 bytes.
    """

    def __init__(self, label: str, reason: str) -> None:
        reason = cut(reason, MESSAGE_BYTES - len(f"{label}: "))
        super().__init__(label, reason)
        self.label = label
        self.reason = reason

    @property
    def operator(self) -> str:
        """ONNX's name of the operator, as ``Tile``."""
        return self.label.rpartition("-")[0]

    @property
    def since_version(self) -> int:
        """The version of the operator, as ``13``."""
        return int(self.label.rpartition("-")[2])

    def _text(self) -> str:
        return f"{self.label}: {self.reason}"


class ContentsError(Exception):
    """A kernel cannot compute with the contents of an input; a call reports it as an OpError.

    Rules see no texts. A kernel that raises this has written nothing.
    """


@public
class TypeConstraintError(OpError):
    """An input has an element type that the operator version does not accept."""


@public
class ShapeError(OpError):
    """Shapes, or values that determine shapes, do not fit together, or the result is too large."""


@public
class AttributeValueError(OpError):
    """An attribute is unknown, missing, of the wrong kind, or has an invalid value."""
