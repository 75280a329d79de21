"""Names the module that users import a member from, for tracebacks, help and pickles."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Member = TypeVar("_Member", bound="type | Callable[..., object]")

_PACKAGE = __name__.partition("._runtime.")[0]


def public(member: _Member) -> _Member:
    """A class or function that the package itself exports."""
    member.__module__ = _PACKAGE
    return member


def public_in(module: str) -> Callable[[_Member], _Member]:
    """A class or function that a public module exports.

    Args:
        module: its name within the package, as ``onnx_backend``.
    """

    def mark(member: _Member) -> _Member:
        member.__module__ = f"{_PACKAGE}.{module}"
        return member

    return mark
