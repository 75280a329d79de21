"""The values of a call in the forms that rules and kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np

from opmill._runtime.containers import Container
from opmill._runtime.rule_support import Tensor
from opmill._runtime.sparse import SparseTensor
from opmill._runtime.types import Array, element_word

_DTYPES: dict[str, np.dtype[Any]] = {
    "INT": np.dtype(np.int64),
    "FLOAT": np.dtype(np.float32),
    "STRING": np.dtype(object),
}
"""What numbers and texts are in a tensor, by the kind of an attribute."""


def tensor_of(name: str, kind: str, value: Any) -> Tensor | None:
    """An attribute as a tensor, which a rule takes it for."""
    if value is None:
        return None
    array: Array = value if kind == "TENSOR" else np.array(value, _DTYPES[kind.removesuffix("S")])
    return Tensor(name, str(element_word(array.dtype)), array.shape, array)


def array_of(tensor: Tensor | Container | list[Tensor] | None) -> Any:
    if tensor is None:
        return None
    if isinstance(tensor, Container):
        return tensor.value
    if isinstance(tensor, list):
        return [array_of(item) for item in tensor]
    return tensor.array


def spread(arguments: list[Any]) -> list[Array | None]:
    """The inputs in a row, those of a variadic one too; ``None`` for an absent one."""
    arrays: list[Array | None] = []
    for argument in arguments:
        if isinstance(argument, list):
            arrays.extend(argument)
        else:
            arrays.append(argument)
    return arrays


def present(arguments: list[Any], attributes: dict[str, Any]) -> list[Array]:
    """The arrays that a call reads."""
    arrays = [array for array in spread(arguments) if array is not None]
    for value in attributes.values():
        if isinstance(value, np.ndarray):
            arrays.append(value)
        elif isinstance(value, SparseTensor):
            arrays += [value.values, value.indices]
    return arrays
