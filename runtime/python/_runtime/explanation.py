"""Explanations of calls, which ``Operator.explain`` returns."""

from __future__ import annotations

from dataclasses import dataclass

from opmill._runtime.public import public


@public
@dataclass(frozen=True, slots=True)
class Explanation:
    """Explanation of how a call is computed.

    Args:
        backend: the backend that computes: ``c`` or ``numpy``.
        kernel: the variant of the C kernel, chosen by the shapes and the type, as ``phases``; the
            headers in ``src/families`` of the C library describe each. ``None`` where there is
            only one.
        instruction_set: the instruction set of the kernel's loops, as ``avx2``; ``plain`` for
            standard C. ``None`` where it is not known.
        threads: the maximum number of threads of the call.
    """

    backend: str
    kernel: str | None
    instruction_set: str | None
    threads: int
