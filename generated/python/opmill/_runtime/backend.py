"""Which backend computes: the choice of the context, of the environment, or the default.

The choice is a context variable, so it holds in the thread or task that made it.

The backend ``c`` is the native module over the C library, and is there where that module was
built; ``numpy`` is always there. An operator whose family has no C kernel is computed by NumPy, and
refuses a choice of ``c``. Calls with values that C cannot hold are computed by NumPy on every
backend.
"""

from __future__ import annotations

import importlib.util
import os
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, NamedTuple

from opmill._runtime.errors import Error
from opmill._runtime.public import public

_NATIVE = "opmill._native"
_AVAILABLE = ("c", "numpy") if importlib.util.find_spec(_NATIVE) else ("numpy",)

_ENVIRONMENT = "OPMILL_BACKEND"


@public
class BackendError(Error, RuntimeError):
    """A backend, an instruction set or a number of threads that is not available here."""


class Choice(NamedTuple):
    """What a context has chosen."""

    backend: str | None = None
    instruction_set: int = 0
    """Its number in the native module; 0 where none is chosen."""


_chosen: ContextVar[Choice | None] = ContextVar("opmill_backend", default=None)

chosen = _chosen.get
"""What the context has chosen, ``None`` where it has chosen nothing."""


@public
def backends() -> tuple[str, ...]:
    """The available backends, the default first: ``("c", "numpy")``, or ``("numpy",)``."""
    return _AVAILABLE


@public
def backend_name() -> str:
    """The name of the backend that a call would use now, as ``numpy``.

    Raises:
        BackendError: the environment variable OPMILL_BACKEND names a backend that is not there.
    """
    choice = chosen()
    if choice is not None and choice.backend is not None:
        return choice.backend
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        return _checked(wanted, f"{_ENVIRONMENT} asks for")
    return _AVAILABLE[0]


def is_chosen() -> bool:
    """Whether the context or the environment names the backend, so that it is no default."""
    choice = chosen() or Choice()
    return choice.backend is not None or bool(os.environ.get(_ENVIRONMENT))


class Choosing:
    """Makes a choice for the context, and takes it back when a ``with`` block ends."""

    def __init__(self, **choice: Any) -> None:
        self._token: Token[Choice | None] = _chosen.set((chosen() or Choice())._replace(**choice))

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


@public
class use_backend(Choosing):  # noqa: N801 - called like a function, used like one
    """Choose the backend from now on, or for a ``with`` block: ``with use_backend("numpy"):``.

    Values that C cannot hold are computed by NumPy on every backend: strings, elements of less
    than a byte, sequences, optionals, and types that an operator's C kernel lacks.

    Args:
        name: the backend, ``c`` or ``numpy``.

    Raises:
        BackendError: there is no such backend here. Later calls raise it too, if their operator
            has no kernel on the backend.
    """

    def __init__(self, name: str) -> None:
        super().__init__(backend=_checked(name, "use_backend asks for"))


def _checked(name: str, who: str) -> str:
    if name not in _AVAILABLE:
        raise BackendError(
            f"{who} backend '{name}', which is not there; available: {', '.join(_AVAILABLE)}"
        )
    return name
