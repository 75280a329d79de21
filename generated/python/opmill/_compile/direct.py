"""Compact kernels that take the addresses of elements: all else is constant, and in their plan.

A network calls them without descriptions of tensors and without a context. Their plans have what
the library's rules and kernels derive in each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from opmill._compile.compact import BYTES, MAX_BYTES, SHORT, reduced_count, reduces_last_axes
from opmill._runtime.types import Array, TensorType, dtype_of, element_word


class Direct(NamedTuple):
    """A call of such a kernel.

    Args:
        entry: how it is called, with the types and names of the members of its plan.
        inputs: the positions of the node's inputs, constants, or ``None`` for an absent one.
        plan: the members of its plan.
    """

    entry: Mapping[str, Any]
    inputs: Sequence[int | Array | None]
    plan: Mapping[str, Any]


class _Tensor(NamedTuple):
    """An input or output of a node.

    Args:
        type: ONNX's name of the element type.
        shape: the dims.
        array: its elements if it is a constant.
    """

    type: str
    shape: tuple[int, ...]
    array: Array | None = None


class _Kernel(NamedTuple):
    """What a kernel is given.

    Args:
        name: what its function and its plan are called.
        members: the types and names of the members of the plan.
        inputs: as of ``Direct``.
        plan: the members of its plan.
        limits: whether it applies limits.
        ending: of the name of its function.
    """

    name: str
    members: Sequence[tuple[str, str]]
    inputs: Sequence[int | Array | None]
    plan: Mapping[str, Any]
    limits: bool = False
    ending: str = ""


def direct_call(
    entry: Mapping[str, Any],
    given: Sequence[Array | TensorType | None],
    types: Sequence[TensorType],
    plan: Mapping[str, Any],
) -> Direct | None:
    """Call of a compact kernel in place of the library's; ``None`` where there is none.

    Args:
        entry: how the library's kernel is called.
        given: the inputs: constants, or the types of what a run computes.
        types: of the outputs.
        plan: what the rule derives.
    """
    find = _KERNELS.get(entry["function"])
    inputs = [_tensor(one) for one in given]
    outputs = [_Tensor(one.type, _dims(one.shape)) for one in types]
    known = [one for one in (*inputs, *outputs) if one is not None]
    if find is None or not all(0 < _bytes(one) <= MAX_BYTES for one in known):
        return None
    kernel = find(inputs, outputs, plan)
    if kernel is None:
        return None
    found = direct_entry(
        entry, entry["plan"], f"{kernel.name}_compact", kernel.members, ending=kernel.ending,
        limits=kernel.limits,
    )  # fmt: skip
    return Direct(found, kernel.inputs, kernel.plan)


def direct_entry(
    entry: Mapping[str, Any],
    family: str,
    name: str,
    members: Sequence[tuple[str, str]],
    *,
    ending: str = "",
    limits: bool = False,
) -> dict[str, Any]:
    """How such a kernel is called.

    Args:
        entry: how the library's kernel is called.
        family: the folder of the kernel.
        name: what its function and its plan are called.
        members: the types and names of the members of its plan.
        ending: of the name of its function.
        limits: whether it applies limits.
    """
    return {
        "files": entry["files"],
        "plan": name,
        "members": tuple(members),
        "header": f"families/{family}/compact.h",
        "folder": f"src/families/{family}",
        "function": f"opmill_{name}{ending}",
        "limits": limits,
    }


def scale_member(scale: float, zero: int, type_: str) -> dict[str, Any]:
    """``opmill_compact_scale`` of a tensor of 8-bit integers."""
    return {"scale": float(scale), "zero": zero, "lowest": int(np.iinfo(dtype_of(type_)).min)}


def _tensor(given: Array | TensorType | None) -> _Tensor | None:
    if given is None:
        return None
    if isinstance(given, TensorType):
        return _Tensor(given.type, _dims(given.shape))
    return _Tensor(element_word(given.dtype) or "", given.shape, given)


def _dims(shape: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(dim or 0 for dim in shape)


def _bytes(one: _Tensor) -> int:
    return prod(one.shape) * dtype_of(one.type).itemsize


_Inputs = Sequence[_Tensor | None]
_Outputs = Sequence[_Tensor]


def _is_float(inputs: _Inputs, outputs: _Outputs) -> bool:
    return all(one is None or one.type == "float" for one in (*inputs, *outputs))


def _input(inputs: _Inputs, position: int) -> _Tensor | None:
    return inputs[position] if position < len(inputs) else None


def _present(inputs: _Inputs, position: int) -> int | None:
    """The position of an input that may be absent."""
    return position if _input(inputs, position) is not None else None


_AXES = (("opmill_compact_axis", "rows"), ("opmill_compact_axis", "columns"))
_COUNTS = tuple(("int32_t", name) for name in ("items", "groups", "channels", "maps"))

_BLOCK_TERMS, _PRODUCT_POSITIONS = 256, 32
"""The library begins a sum with the bias where one block has all terms. It adds the bias to the sum
of a product of matrices, and to that of several blocks."""

_SMALL_ROWS = 4
"""Up to which the library sums rows by rows in four parts."""


def _windows(x: _Tensor, w: _Tensor, y: _Tensor, plan: Mapping[str, Any]) -> dict[str, Any]:
    """The windows of a convolution along rows and columns, and its counts."""
    whole = {"in": 1, "out": 1, "taps": 1, "stride": 1, "dilation": 1, "begin": 0}
    axes = [
        {"in": size, "out": out, "taps": taps, "stride": stride, "dilation": dilation,
         "begin": begin}
        for size, out, taps, stride, dilation, begin in zip(
            x.shape[2:], y.shape[2:], w.shape[2:], plan["strides"], plan["dilations"],
            plan["begin"], strict=False,
        )
    ]  # fmt: skip
    rows, columns = [whole, *axes][-2:]
    groups = int(plan["group"])
    return {
        "rows": rows,
        "columns": columns,
        "items": y.shape[0],
        "groups": groups,
        "channels": w.shape[1],
        "maps": y.shape[1] // groups,
    }


def _is_padded(axis: Mapping[str, int]) -> bool:
    last = (axis["out"] - 1) * axis["stride"] - axis["begin"]
    return axis["begin"] > 0 or last + (axis["taps"] - 1) * axis["dilation"] >= axis["in"]


def _conv(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    x, w, y = inputs[0], inputs[1], outputs[0]
    if x is None or w is None or not _is_float(inputs, outputs) or len(y.shape) not in (3, 4):
        return None
    found = _windows(x, w, y, plan)
    axes = found["rows"], found["columns"]
    taps = prod(axis["taps"] for axis in axes)
    is_padded = any(_is_padded(axis) for axis in axes)
    positions = prod(y.shape[2:])
    is_product = (
        taps == found["groups"] == 1
        and not is_padded
        and all(axis["stride"] == 1 for axis in axes)
        and positions == prod(x.shape[2:])
        and positions >= _PRODUCT_POSITIONS
    )
    channels = found["channels"]
    found["bias_first"] = (channels <= 1 or channels <= _BLOCK_TERMS // taps) and not is_product
    found["is_padded"] = is_padded
    members = (*_AXES, *_COUNTS, ("bool", "bias_first"), ("bool", "is_padded"))
    return _Kernel("conv", members, (0, 1, _present(inputs, 2)), found, limits=True)


def _gemm(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    a, c, y = inputs[0], _input(inputs, 2), outputs[0]
    if a is None or not _is_float(inputs, outputs):
        return None
    rows, columns = y.shape
    turned_a, turned_b = bool(plan["transpose_a"]), bool(plan["transpose_b"])
    terms = a.shape[0 if turned_a else 1]
    added = c if plan["beta"] != 0 else None
    c_row = c_column = 0
    if added is not None and added.shape:
        width = added.shape[-1]
        c_column = 1 if width > 1 else 0
        c_row = width if len(added.shape) > 1 and added.shape[0] > 1 else 0
    a_step = rows if turned_a else 1
    found = {
        "rows": rows,
        "columns": columns,
        "terms": terms,
        "a_row": 1 if turned_a else terms,
        "a_step": a_step,
        "b_column": terms if turned_b else 1,
        "b_step": 1 if turned_b else columns,
        "c_row": c_row,
        "c_column": c_column,
        "alpha": plan["alpha"],
        "beta": plan["beta"],
        "in_parts": rows <= _SMALL_ROWS and columns > 1 and terms > 1 and turned_b and a_step == 1,
    }
    types = {"alpha": "float", "beta": "float", "in_parts": "bool"}
    members = [(types.get(name, "int32_t"), name) for name in found]
    return _Kernel("gemm", members, (0, 1, None if added is None else 2), found, limits=True)


def _softmax(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    begin, end, shape = int(plan["begin"]), int(plan["end"]), outputs[0].shape
    if not _is_float(inputs, outputs) or prod(shape[end:]) != 1:
        return None
    length = prod(shape[begin:end])
    found = {"lines": prod(shape) // length, "length": length}
    members = [("int32_t", name) for name in found]
    return _Kernel("softmax", members, (0,), found, ending="_short" if length <= SHORT else "")


def _lines(
    inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any], name: str
) -> _Kernel | None:
    """A mean or a sum along the last axes."""
    x = inputs[0]
    if x is None or x.type != "float" or not reduces_last_axes(plan):
        return None
    length = reduced_count(x.shape, plan)
    found = {"rows": prod(x.shape) // length, "length": length}
    return _Kernel(name, [("int32_t", member) for member in found], (0,), found)


def _arg_reduce(
    inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any], order: str
) -> _Kernel | None:
    x, axis = inputs[0], int(plan["axis"])
    if x is None or x.type not in ("float", *BYTES):
        return None
    found = {
        "rows": prod(x.shape[:axis]),
        "length": x.shape[axis],
        "inner": prod(x.shape[axis + 1 :]),
        "last": bool(plan["last"]),
    }
    members = [("bool" if name == "last" else "int32_t", name) for name in found]
    return _Kernel("arg_reduce", members, (0,), found, ending=f"_{order}_{x.type}")


_CAST = ("bool", "float", "int32", "int64", *BYTES)


def _cast(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    x, y = inputs[0], outputs[0]
    if x is None or not {x.type, y.type} <= {*_CAST}:
        return None
    found = {"count": prod(y.shape)}
    return _Kernel("cast", [("int32_t", "count")], (0,), found, ending=f"_{x.type}_{y.type}")


def _qlinear_conv(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = inputs[:8]
    y = outputs[0]
    if x is None or w is None or plan["channels_last"] or len(y.shape) not in (3, 4):
        return None
    if not all(one.type in BYTES for one in (x, w, y)):
        return None
    arrays = [
        one.array
        for one, is_scale in (
            *((one, True) for one in (x_scale, w_scale, y_scale)),
            *((one, False) for one in (x_zero, w_zero, y_zero)),
        )
        if one is not None and one.array is not None and (one.type == "float") == is_scale
    ]
    if len(arrays) < 6:
        return None
    scales = [np.ravel(one) for one in arrays[:3]]
    numbers = [np.ravel(one).astype(np.int32) for one in arrays[3:]]
    with np.errstate(all="ignore"):
        factors = scales[0] * scales[1] / scales[2]
    rest = {
        "x_zero": int(numbers[0][0]),
        "y_zero": int(numbers[2][0]),
        "y_low": int(np.iinfo(dtype_of(y.type)).min),
        "factor_step": int(factors.size > 1),
        "zero_step": int(numbers[1].size > 1),
    }
    found = {**_windows(x, w, y, plan), **rest}
    members = (*_AXES, *_COUNTS, *(("int32_t", name) for name in rest))
    w_zeros = numbers[1] if numbers[1].any() else None
    read = (0, 3, factors, _present(inputs, 8), w_zeros)
    return _Kernel("qlinear_conv", members, read, found, ending=f"_{x.type}_{w.type}")


def _scale(inputs: _Inputs, wide: str, narrow: str) -> dict[str, Any] | None:
    """The scale of floats and 8-bit integers, if it is one constant."""
    scale, zero = _input(inputs, 1), _input(inputs, 2)
    if wide != "float" or narrow not in BYTES or scale is None or scale.type != "float":
        return None
    if scale.array is None or scale.array.size != 1:
        return None
    if zero is not None and (zero.array is None or zero.type != narrow):
        return None
    number = 0 if zero is None or zero.array is None else int(zero.array.reshape(()))
    return scale_member(float(scale.array.reshape(())), number, narrow)


def _quantize(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    x, y = inputs[0], outputs[0]
    scale = None if x is None else _scale(inputs, x.type, y.type)
    if scale is None or plan["quotient"] != "float":
        return None
    members = (("int32_t", "count"), ("opmill_compact_scale", "y"))
    return _Kernel("quantize_one", members, (0,), {"count": prod(y.shape), "y": scale})


def _dequantize(inputs: _Inputs, outputs: _Outputs, plan: Mapping[str, Any]) -> _Kernel | None:
    x, y = inputs[0], outputs[0]
    scale = None if x is None else _scale(inputs, y.type, x.type)
    if scale is None:
        return None
    members = (("int32_t", "count"), ("opmill_compact_scale", "x"))
    return _Kernel("dequantize_one", members, (0,), {"count": prod(y.shape), "x": scale})


_KERNELS: dict[str, Callable[[_Inputs, _Outputs, Mapping[str, Any]], _Kernel | None]] = {
    "opmill_arg_reduce_largest_compute": partial(_arg_reduce, order="largest"),
    "opmill_arg_reduce_smallest_compute": partial(_arg_reduce, order="smallest"),
    "opmill_cast_largest_compute": _cast,
    "opmill_cast_nan_compute": _cast,
    "opmill_conv_compute": _conv,
    "opmill_dequantize_compute": _dequantize,
    "opmill_gemm_compute": _gemm,
    "opmill_qlinear_conv_compute": _qlinear_conv,
    "opmill_quantize_compute": _quantize,
    "opmill_reduce_mean_compute": partial(_lines, name="reduce_mean"),
    "opmill_reduce_sum_compute": partial(_lines, name="reduce_sum"),
    "opmill_softmax_softmax_compute": _softmax,
}
"""By the library's function."""
