"""Selection of the backend: by the context, the process, the environment, or the default.

The backend ``c`` is the native module over the C library, and is available where that module was
built; ``numpy`` is always available. What ``c`` does not compute, NumPy computes: operators whose
family has no C kernel, and calls with values that C does not take. ``Operator.explain`` and traces
report what computes.
"""

from __future__ import annotations

import importlib.util
import os
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

from opmill._runtime.errors import Error
from opmill._runtime.public import public

_NATIVE = "opmill._native"
_AVAILABLE = ("c", "numpy") if importlib.util.find_spec(_NATIVE) else ("numpy",)

_ENVIRONMENT = "OPMILL_BACKEND"


@public
class BackendError(Error, RuntimeError):
    """A backend, an instruction set or a number of threads that is not available here."""


Choice = list[Any]
"""The name of a backend or ``None``, and the number of an instruction set or 0, which the native
module reads."""

BACKEND, INSTRUCTION_SET = 0, 1
"""The positions in a choice."""

_process: Choice = [None, 0]
"""The choice of the process, which contexts without a choice of their own follow."""

_chosen: ContextVar[Choice] = ContextVar("opmill_choice", default=_process)

chosen = _chosen.get
"""The choice that is in force now."""


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
    name: str | None = chosen()[BACKEND]
    if name is not None:
        return name
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        return _checked(wanted, f"{_ENVIRONMENT} asks for")
    return _AVAILABLE[0]


def fixed() -> Token[Choice] | None:
    """Keep the choice of the process for this context, whatever other threads choose meanwhile.

    Returns:
        What to pass to ``follow`` afterwards; ``None`` if the context has a choice of its own.
    """
    choice = chosen()
    return _chosen.set(choice.copy()) if choice is _process else None


follow = _chosen.reset
"""End what ``fixed`` began."""


class Choosing:
    """A choice for a ``with`` block of this context or, without a block, for the process.

    Only the end of an object shows that no block follows its creation. Until then the choice holds
    for the context alone, so that other threads never see the choice of a block.
    """

    _token: Token[Choice] | None = None

    def __init__(self, position: int, value: Any) -> None:
        self._position, self._value = position, value
        self._choice = chosen().copy()
        self._choice[position] = value
        self._token = _chosen.set(self._choice)

    def __enter__(self) -> None:
        if self._token is None:  # a second block, or one after the object was shown
            self._token = _chosen.set(self._choice)
        self._enclosing, self._token = self._token, None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Return to the choice before the block."""
        _chosen.reset(self._enclosing)

    def __repr__(self) -> str:
        """The choice, which now holds for the process: sessions keep what they show."""
        self.__del__()
        return f"<{type(self).__name__}: {self._value}>"

    def __del__(self) -> None:
        """Choose for the process, unless there was a block."""
        token, self._token = self._token, None
        if token is None:
            return
        _process[self._position] = self._value
        # Inside of a block of another choice, the context continues with this one until its end.
        if chosen() is self._choice and token.old_value in (Token.MISSING, _process):
            _chosen.reset(token)


@public
class use_backend(Choosing):  # noqa: N801 - called like a function, used like one
    """Choose the backend: for the process from now on, or for a ``with`` block.

    ``use_backend("numpy")``, a statement of its own, holds in all threads of the process, also in
    those that start later. ``with use_backend("numpy"):`` holds in the block, for its thread or
    asyncio task alone, and takes precedence over the choice of the process.

    What ``c`` does not compute, NumPy computes: operators without a C kernel, moves of strings,
    elements of less than a byte, sequences of strings, optionals, and types that an operator's C
    kernel lacks.

    Args:
        name: the backend, ``c`` or ``numpy``.

    Raises:
        BackendError: there is no such backend here.
    """

    def __init__(self, name: str) -> None:
        super().__init__(BACKEND, _checked(name, "use_backend asks for"))


def _checked(name: str, who: str) -> str:
    if name not in _AVAILABLE:
        raise BackendError(
            f"{who} backend '{name}', which is not there; available: {', '.join(_AVAILABLE)}"
        )
    return name
