"""Selection of the C backend's instruction set: by context, process, environment, or the best one.

The choice has the scope of that of the backend. It is for tests and comparisons: without one, each
call uses the best that the processor has and the C library was built for.
"""

from __future__ import annotations

import os

from opmill._runtime.backend import INSTRUCTION_SET, BackendError, Choosing, backends
from opmill._runtime.public import public

_ENVIRONMENT = "OPMILL_ISA"


@public
def instruction_sets() -> tuple[str, ...]:
    """The instruction sets that the backend ``c`` can use here, the default first.

    On x86-64 these are at most ``("avx512", "avx2", "baseline", "plain")``, on AArch64 ``neon`` is
    the first. ``baseline`` is what every such processor has; ``plain`` is standard C. The tuple is
    empty without the backend ``c``.
    """
    return tuple(_numbers())


@public
class use_instruction_set(Choosing):  # noqa: N801 - as use_backend
    """Choose the instruction set of the backend ``c``: for the process, or for a ``with`` block.

    The scope is that of ``use_backend``. For tests and comparisons. Sums of floats may differ
    between instruction sets, within the tolerance of the specification; elementary functions,
    integers and moved elements do not.

    Args:
        name: the instruction set, as ``avx2``.

    Raises:
        BackendError: the processor or the C library has no such instruction set.
    """

    def __init__(self, name: str) -> None:
        super().__init__(INSTRUCTION_SET, _number(name, "use_instruction_set asks for"))


def start() -> None:
    """Pass the environment's choice to the native module once it is loaded.

    Raises:
        BackendError: OPMILL_ISA names an instruction set that is not there.
    """
    wanted = os.environ.get(_ENVIRONMENT)
    if wanted:
        from opmill import _native

        _native.set_instruction_set(_number(wanted, f"{_ENVIRONMENT} asks for"))


def _numbers() -> dict[str, int]:
    if "c" not in backends():
        return {}
    from opmill import _native

    return _native.instruction_sets()


def _number(name: str, who: str) -> int:
    numbers = _numbers()
    if name not in numbers:
        available = f"available: {', '.join(numbers)}" if numbers else "there is no backend 'c'"
        raise BackendError(f"{who} instruction set '{name}', which is not there; {available}")
    return numbers[name]
