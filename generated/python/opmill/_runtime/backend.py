"""Which backend computes: the choice of the context, of the environment, or the default.

The choice is a context variable, so it holds in the thread or task that made it.
"""

from __future__ import annotations

import os
from contextvars import ContextVar, Token
from types import TracebackType

AVAILABLE: tuple[str, ...] = ("numpy",)
"""The backends that can compute here, the default first."""

_ENVIRONMENT = "OPMILL_BACKEND"
_chosen: ContextVar[str | None] = ContextVar("opmill_backend", default=None)


class BackendError(RuntimeError):
    """A backend was asked for that is not there."""


def backend_name() -> str:
    """The name of the backend that computes now, as ``numpy``.

    Raises:
        BackendError: the environment variable OPMILL_BACKEND names a backend that is not there.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        return _checked(wanted, f"{_ENVIRONMENT} asks for")
    return AVAILABLE[0]


class use_backend:  # noqa: N801 - called like a function, used like one
    """Choose the backend from now on, or for a ``with`` block.

    Args:
        name: the backend, as ``numpy``.

    Raises:
        BackendError: there is no such backend here.
    """

    def __init__(self, name: str) -> None:
        self._token: Token[str | None] = _chosen.set(_checked(name, "use_backend asks for"))

    def __enter__(self) -> None:
        """The choice holds already."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Go back to the choice before."""
        _chosen.reset(self._token)


def _checked(name: str, who: str) -> str:
    if name not in AVAILABLE:
        raise BackendError(
            f"{who} backend '{name}', which is not there; available: {', '.join(AVAILABLE)}"
        )
    return name
