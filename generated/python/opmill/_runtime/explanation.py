"""How a call is computed, as ``Operator.explain`` tells it."""

from __future__ import annotations

from dataclasses import dataclass

from opmill._runtime.public import public


@public
@dataclass(frozen=True, slots=True)
class Explanation:
    """How a call is computed.

    Args:
        backend: the backend that computes: ``c`` or ``numpy``.
        kernel: the variant that computes the call on the backend ``c``, chosen by the shapes and
            the type, as ``phases`` or ``shuffle``; the headers of ``generated/c/src/`` describe
            each. ``None`` where there is only one.
        instruction_set: what the kernel's loops are built for, as ``avx2``; ``plain`` where they
            are standard C. ``None`` where the backend does not know.
        threads: the call uses at most so many.
    """

    backend: str
    kernel: str | None
    instruction_set: str | None
    threads: int
