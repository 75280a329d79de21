"""The kernels of the C library, where the native module is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from opmill._runtime import backend, errors, instruction_set, threads
from opmill._runtime.containers import TensorSequence
from opmill._runtime.schema import Schema
from opmill._runtime.sparse import SparseTensor
from opmill._runtime.types import WHOLE_BYTE_DTYPES

if TYPE_CHECKING:
    from opmill._native import Kernel

Fallback = Callable[[Sequence[Any], Mapping[str, Any], Any, int | None], Sequence[Any]]

# By enum opmill_code; the first means success.
_ERRORS: tuple[type[errors.OpError], ...] = (
    errors.OpError,
    errors.OpError,
    errors.TypeConstraintError,
    errors.ShapeError,
    errors.AttributeValueError,
    errors.OpError,
)

if "c" in backend.backends():
    from opmill import _native

    instruction_set.start()
    _native.setup(backend.chosen, _ERRORS, WHOLE_BYTE_DTYPES, SparseTensor, TensorSequence)
    threads.start()


def kernel_of(schema: Schema, fallback: Fallback) -> Kernel | None:
    """The C kernel of an operator version; ``None`` where there is none.

    Args:
        schema: the operator version.
        fallback: computes the calls that the kernel does not take as they are.
    """
    if "c" not in backend.backends():
        return None
    return _native.find(schema.domain, schema.name, schema.since_version, fallback)
