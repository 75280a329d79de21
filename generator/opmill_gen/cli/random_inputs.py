"""Inputs of a model for ``opmill run``: random ones, and those of files as the model wants them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

_MAX_ELEMENTS = 1 << 31


class BadInput(ValueError):
    """An input that cannot be made or taken; the text says why."""


def random_value(
    declared: Any,
    generator: np.random.Generator,
    sizes: Mapping[str, int],
    shape: tuple[int, ...] | None,
) -> Any:
    """A random value of a declared input.

    Args:
        declared: what the model declares.
        generator: draws the value.
        sizes: the sizes of named dims; 1 where it has none.
        shape: the whole shape, if it is known.

    Raises:
        BadInput: the input is no tensor, or its type or rank is open.
    """
    name, type_ = declared.name, declared.type
    dtype = _dtype(type_)
    if dtype is None:
        raise BadInput(f"input '{name}' has type {declared.described()}; give it with --input")
    if shape is None:
        if type_.dims is None:
            raise BadInput(f"input '{name}' has an open rank; give its shape with --shape {name}=")
        shape = tuple(dim if is_size(dim) else sizes.get(str(dim), 1) for dim in type_.dims)
    if np.prod(shape, dtype=object) > _MAX_ELEMENTS:
        raise BadInput(f"input '{name}' has shape {list(shape)}, expected fewer elements")
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        if dtype.itemsize > 2:  # often indices or masks
            return generator.integers(0, 2, shape, dtype)
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype.kind == "O":
        texts = generator.choice(["", "a", "opmill"], shape)
        return np.asarray(texts, object)
    if dtype.kind == "c":
        parts = generator.standard_normal((2, *shape))
        return np.asarray(parts[0] + 1j * parts[1]).astype(dtype)
    return np.asarray(generator.standard_normal(shape)).astype(dtype)


def is_size(dim: int | str | None) -> bool:
    """Return whether a declared dim is the size itself."""
    return isinstance(dim, int) and dim >= 0


def sized(declared: Any, value: Any) -> Any:
    """A value of a file; types that NumPy lacks are stored there as bytes without a type."""
    dtype = _dtype(declared.type)
    if dtype is not None and value.dtype.kind == "V" and value.dtype.itemsize == dtype.itemsize:
        return value.view(dtype)
    return value


def _dtype(type_: Any) -> np.dtype[Any] | None:
    """The dtype of a tensor; ``None`` for another type, or where none is declared."""
    from opmill._runtime.types import dtype_of

    element = getattr(type_, "element", None)
    return None if element is None else dtype_of(element)
