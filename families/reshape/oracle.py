"""Slow reference of Flatten, Reshape, Squeeze and Unsqueeze: the same items in another shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from opmill_checks.value import Value

Dims = tuple[int, ...]


def flattened(dims: Dims, axis: int) -> Dims:
    """The dims on either side of the axis multiplied; a negative one counts from the end."""
    first = axis if axis >= 0 else len(dims) + axis
    return prod(dims[:first]), prod(dims[first:])


def squeezed(dims: Dims, axes: Sequence[int] | None) -> Dims:
    """The dims that no axis names; without axes those that are not 1."""
    if axes is None:
        return tuple(dim for dim in dims if dim != 1)
    named = {axis % len(dims) for axis in axes}
    return tuple(dim for axis, dim in enumerate(dims) if axis not in named)


def unsqueezed(dims: Dims, axes: Sequence[int]) -> Dims:
    """Axes are inserted from the left, so that each is at its position in the output."""
    result = list(dims)
    rank = len(dims) + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        result.insert(axis, 1)
    return tuple(result)


def reshaped(dims: Dims, shape: Sequence[int], allowzero: int) -> Dims:
    """Zeros are copied, then -1 is replaced by the one dim that gives the number of elements."""
    copied = [dims[i] if s == 0 and allowzero != 1 else s for i, s in enumerate(shape)]
    others = prod(size for size in copied if size != -1)
    return tuple(prod(dims) // others if size == -1 else size for size in copied)


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    output_names: Sequence[str],
) -> dict[str, Value]:
    data, *rest = inputs.values()
    assert data is not None
    given = rest[0].items if rest and rest[0] is not None else None
    (output,) = output_names
    shape = {
        "output": lambda: flattened(data.shape, attributes.get("axis", 1)),
        # An empty attribute is as none; an empty input is not.
        "squeezed": lambda: squeezed(data.shape, attributes.get("axes") or given),
        "expanded": lambda: unsqueezed(data.shape, attributes.get("axes", given)),
        "Y": lambda: unsqueezed(data.shape, given),
        "reshaped": lambda: reshaped(
            data.shape, attributes.get("shape", given), attributes.get("allowzero", 0)
        ),
    }[output]()
    return {output: data.take(shape, range(len(data.items)))}
