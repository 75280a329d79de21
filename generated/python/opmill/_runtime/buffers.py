"""The arrays that results are written to: new ones, or the caller's ``out``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.errors import OpError, ShapeError, TypeConstraintError
from opmill._runtime.types import Array, element_word, native


def shape_text(shape: Sequence[int]) -> str:
    """A shape as messages print it: ``[2, 3]``."""
    return f"[{', '.join(str(dim) for dim in shape)}]"


def check_out(
    label: str, name: str, out: Any, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> None:
    """Refuse a buffer that cannot take a result of this type and shape.

    Raises:
        OpError: it is no array, or read-only.
        TypeConstraintError: its type differs.
        ShapeError: its shape differs.
    """
    if not isinstance(out, np.ndarray):
        raise OpError(label, messages.OUT_TYPE.format(name, type(out).__name__, "a NumPy array"))
    if native(out.dtype) != dtype:
        raise TypeConstraintError(
            label, messages.OUT_TYPE.format(name, _type_text(out.dtype), _type_text(dtype))
        )
    if out.shape != shape:
        raise ShapeError(
            label,
            messages.OUT_SHAPE.format(name, shape_text(out.shape), shape_text(shape)),
        )
    if not out.flags.writeable:
        raise OpError(label, f"out for {name} is read-only, expected a writeable array")


def check_apart(label: str, names: Sequence[str], buffers: Sequence[Array]) -> None:
    """Refuse buffers that share memory with each other; with inputs they may.

    Raises:
        OpError: two of them overlap.
    """
    for number, (name, buffer) in enumerate(zip(names, buffers, strict=True)):
        if any(_overlap(buffer, other) for other in buffers[:number]):
            raise OpError(
                label, f"out for {name} overlaps another output, expected separate memory"
            )


def _overlap(one: Array, other: Array) -> bool:
    try:
        # NumPy takes any bound of the work; its annotations know two.
        return np.shares_memory(one, other, max_work=1000)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True  # as far as anybody can tell


def is_direct(out: Array, inputs: Sequence[Array]) -> bool:
    """True where a kernel may write to ``out`` itself: contiguous, native, overlapping none."""
    return (
        out.flags.c_contiguous
        and out.flags.aligned
        and out.dtype.isnative
        and not any(np.may_share_memory(out, array) for array in inputs)
    )


def _type_text(dtype: np.dtype[Any]) -> str:
    word = element_word(dtype)
    if word is None or (word == "string" and dtype.kind != "O"):
        return str(dtype)
    return word


def targets_of(buffers: list[Array], inputs: list[Array]) -> list[Array]:
    """Return the arrays for the results: the caller's buffers if possible, else new arrays."""
    targets: list[Array] = []
    for position, buffer in enumerate(buffers):
        others = [*inputs, *buffers[:position], *buffers[position + 1 :]]
        direct = is_direct(buffer, others)
        targets.append(buffer if direct else np.empty(buffer.shape, native(buffer.dtype)))
    return targets
