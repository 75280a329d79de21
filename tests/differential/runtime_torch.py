"""PyTorch, whose functions are not ONNX's: for each family, how a call is put to it.

A family that is not here is not compared with PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import torch

from differential.drawn import Drawn
from differential.runtimes import RefusedByRuntime
from differential.versions import Version

TYPES = {
    np.dtype(getattr(np, name)): getattr(torch, name)
    for name in (
        "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
} | {np.dtype(np.bool_): torch.bool, np.dtype(ml_dtypes.bfloat16): torch.bfloat16}  # fmt: skip

Tensor = Any
Attributes = Mapping[str, Any]


class Torch:
    """PyTorch on the CPU, one thread."""

    name = "torch"

    def __init__(self) -> None:
        self.version: str = torch.__version__.partition("+")[0]
        torch.set_num_threads(1)

    def takes(self, version: Version, drawn: Drawn) -> bool:
        if not {operator_of(version), version.family} & CALLS.keys() or drawn.raises is not None:
            return False
        if any(array is not None and array.dtype not in TYPES for array in drawn.inputs):
            return False
        return found(SAYS, version, anything)(drawn)

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        count = len(version.schema.inputs)
        tensors = [None if array is None else as_tensor(array) for array in drawn.inputs]
        tensors += [None] * (count - len(tensors))
        try:
            result = found(CALLS, version, None)(*tensors, drawn.attributes)
        except (RuntimeError, NotImplementedError) as error:
            raise RefusedByRuntime(f"{type(error).__name__}: {error}") from None
        results = result if isinstance(result, tuple) else (result,)
        return [as_array(one) for one in results[: len(drawn.asked(version.schema))]]


def operator_of(version: Version) -> str:
    """The operator's name."""
    return version.label.rpartition("-")[0]


def found(table: Mapping[str, Any], version: Version, otherwise: Any) -> Any:
    """The entry of the operator or else of its family."""
    return table.get(operator_of(version), table.get(version.family, otherwise))


def as_tensor(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor of the same bits."""
    plain = np.array(array, order="C")
    if plain.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(plain.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(plain)


def as_array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """An array of the same bits."""
    plain = tensor.contiguous()
    if plain.dtype == torch.bfloat16:
        return np.asarray(plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16))
    return np.asarray(plain.numpy())


def anything(drawn: Drawn) -> bool:
    return True


# The families


def expand(input: Tensor, shape: Tensor, attributes: Attributes) -> Tensor:
    return torch.broadcast_to(input, torch.broadcast_shapes(input.shape, tuple(shape.tolist())))


def tile(input: Tensor, *rest: Any) -> Tensor:
    """By a count for each axis, or by one count and its axis."""
    *given, _ = rest
    if len(given) == 1:
        return torch.tile(input, tuple(given[0].tolist()))
    tiles, axis = given
    counts = [1] * input.ndim
    counts[int(axis.item())] = int(tiles.item())
    return torch.tile(input, tuple(counts))


def conv_transpose(X: Tensor, W: Tensor, B: Tensor | None, attributes: Attributes) -> Tensor:
    """The whole output, cropped afterwards: PyTorch's padding is the same at both ends."""
    axes = X.ndim - 2
    function = (torch.conv_transpose1d, torch.conv_transpose2d, torch.conv_transpose3d)[axes - 1]
    whole = function(
        X,
        W,
        B,
        stride=attributes.get("strides", [1] * axes),
        padding=0,
        output_padding=attributes.get("output_padding", [0] * axes),
        groups=attributes.get("group", 1),
        dilation=attributes.get("dilations", [1] * axes),
    )
    pads = attributes.get("pads", [0] * (2 * axes))
    for axis in range(axes):
        size = whole.shape[2 + axis]
        whole = whole.narrow(2 + axis, pads[axis], size - pads[axis] - pads[axes + axis])
    return whole


def says_conv_transpose(drawn: Drawn) -> bool:
    """Up to three axes, and no size that PyTorch would have to be told otherwise."""
    automatic = drawn.attributes.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID")
    return drawn.inputs[0].ndim <= 5 and not automatic and "output_shape" not in drawn.attributes


def max_pool(X: Tensor, attributes: Attributes) -> tuple[Tensor, Tensor]:
    """PyTorch counts the places of each channel from 0."""
    axes = X.ndim - 2
    functions = (
        torch.nn.functional.max_pool1d,
        torch.nn.functional.max_pool2d,
        torch.nn.functional.max_pool3d,
    )
    values, places = functions[axes - 1](
        X,
        attributes["kernel_shape"],
        stride=attributes.get("strides", [1] * axes),
        padding=attributes.get("pads", [0] * axes)[:axes],
        dilation=attributes.get("dilations", [1] * axes),
        ceil_mode=bool(attributes.get("ceil_mode", 0)),
        return_indices=True,
    )
    channels = torch.arange(X.shape[0] * X.shape[1]).reshape(*X.shape[:2], *[1] * axes)
    return values, places + channels * X[0, 0].numel()


def says_max_pool(drawn: Drawn) -> bool:
    """Up to three axes, no empty ones, and padding that is the same at both ends and small."""
    x, attributes = drawn.inputs[0], drawn.attributes
    axes = x.ndim - 2
    pads = attributes.get("pads", [0] * (2 * axes))
    return (
        x.ndim <= 5
        and x.size > 0
        and x.dtype.kind == "f"
        and attributes.get("auto_pad", "NOTSET") == "NOTSET"
        and attributes.get("storage_order", 0) == 0
        and pads[:axes] == pads[axes:]
        and all(2 * p <= k for p, k in zip(pads, attributes["kernel_shape"], strict=False))
        and (drawn.outputs != 2 or not np.isnan(x).any())
    )


def reduce_sum(data: Tensor, *rest: Any) -> Tensor:
    """The sum along axes that an attribute or an input lists; without any PyTorch takes all."""
    *inputs, attributes = rest
    axes = inputs[0] if inputs else None
    named = attributes.get("axes", []) if axes is None else axes.tolist()
    every = range(0 if attributes.get("noop_with_empty_axes", 0) else data.ndim)
    reduces = tuple(named or every)
    if not reduces:
        return data
    keeps = bool(attributes.get("keepdims", 1))
    return torch.sum(data, reduces, keepdim=keeps, dtype=data.dtype)


def says_reduce_sum(drawn: Drawn) -> bool:
    """Types that PyTorch adds."""
    return drawn.inputs[0].dtype not in (np.uint32, np.uint64)


CALLS: Mapping[str, Callable[..., Tensor]] = {
    "conv_transpose": conv_transpose,
    "expand": expand,
    "max_pool": max_pool,
    "ReduceSum": reduce_sum,
    "tile": tile,
}
SAYS: Mapping[str, Callable[[Drawn], bool]] = {
    "conv_transpose": says_conv_transpose,
    "max_pool": says_max_pool,
    "ReduceSum": says_reduce_sum,
}
