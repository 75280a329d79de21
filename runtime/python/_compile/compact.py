"""The kernels in little code and memory, which families have beside those of the library.

They have the arguments of the family's kernel, need no workspace, and give the bits of the
instruction set ``plain``. Each takes some calls only; the library computes the others. Those that
are called with less are in ``direct``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from opmill._compile.network import Value


class _Compact(NamedTuple):
    """A compact kernel.

    Args:
        family: its folder.
        function: its name.
        takes: whether it computes a call, by the inputs, the outputs and the plan.
        typed: the inputs whose types end the name of the function.
        sized: whether the bytes of an element end it.
        header: that declares it.
    """

    family: str
    function: str
    takes: Callable[[Sequence[Value | None], Sequence[Value], Mapping[str, Any]], bool]
    typed: tuple[int, ...] = ()
    sized: bool = False
    header: str = "compact.h"


def compact_entry(
    entry: Mapping[str, Any],
    inputs: Sequence[Value | None],
    outputs: Sequence[Value],
    plan: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Call of a compact kernel; ``None`` where there is none."""
    read = [k for k in range(len(inputs)) if f"i{k}" in entry["arguments"]]
    known = [*filter(None, (inputs[k] for k in read)), *outputs]
    if not all(0 < one.bytes <= MAX_BYTES for one in known):
        return None
    kernels = _KERNELS.get(entry["function"], ())
    kernel = next((one for one in kernels if one.takes(inputs, outputs, plan)), None)
    if kernel is None:
        return None
    types = "".join(f"_{_type(inputs, k)}" for k in kernel.typed)
    if kernel.sized:
        types = f"_{_bytes(outputs[0])}"
    return {
        **{key: value for key, value in entry.items() if key != "workspace"},
        "header": f"families/{kernel.family}/{kernel.header}",
        "function": f"{kernel.function}{types}",
        "folder": f"src/families/{kernel.family}",
    }


MAX_BYTES = 1 << 30
"""Indices have 32 bits."""

_MAX_RANK = 8
"""Of kernels with a step for each axis: ``OPMILL_COMPACT_RANK``."""

SHORT = 1024
"""Elements whose sum the library computes in float: ``OPMILL_LANES_BLOCK`` of lines,
``OPMILL_REDUCE_BLOCK`` of means."""

BYTES = ("int8", "uint8")
"""The integers that compact kernels take."""


def _type(values: Sequence[Value | None], position: int) -> str:
    """The type of a value; nothing of an absent one."""
    value = values[position] if position < len(values) else None
    return "" if value is None else value.type


def _count(values: Sequence[Value | None], position: int) -> int:
    """The number of elements of a value; 1 of an absent one."""
    value = values[position] if position < len(values) else None
    return 1 if value is None else prod(value.shape)


def _bytes(value: Value) -> int:
    """The bytes of an element."""
    return value.bytes // max(prod(value.shape), 1)


def _is_float(inputs: Sequence[Value | None], outputs: Sequence[Value]) -> bool:
    return all(one.type == "float" for one in (*filter(None, inputs), *outputs))


def _takes_floats(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _is_float(inputs, outputs)


def _takes_any(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return True


def _takes_elements(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _bytes(outputs[0]) in (1, 2, 4, 8) and len(outputs[0].shape) <= _MAX_RANK


def _takes_broadcast(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _is_float(inputs, outputs) and len(outputs[0].shape) <= _MAX_RANK


def _takes_normalization(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _is_float(inputs, outputs) and not plan["training"] and len(outputs) == 1


def _takes_clip(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _type(inputs, 0) in ("float", *BYTES)


def reduces_last_axes(plan: Mapping[str, Any]) -> bool:
    """Return whether a reduction combines the last axes, and no others."""
    reduces = [bool(one) for one in plan["reduces"]]
    return any(reduces) and sorted(reduces) == reduces


def reduced_count(shape: Sequence[int], plan: Mapping[str, Any]) -> int:
    """The number of elements that a reduction combines."""
    return prod(dim for dim, one in zip(shape, plan["reduces"], strict=True) if one)


def takes_windows(shape: Sequence[int], plan: Mapping[str, Any]) -> bool:
    """Return whether the library sums the windows of a pool in float, and rows of x as a whole."""
    sizes, kernel, dilations = shape[2:], plan["kernel"], plan["dilations"]
    taps = prod(min(one, size) for one, size in zip(kernel, sizes, strict=False))
    reach = max(((one - 1) * by for one, by in zip(kernel, dilations, strict=False)), default=0)
    return len(sizes) in (1, 2) and taps <= 128 and prod(kernel) <= 1024 and reach < 1024


def _takes_pool(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    x = inputs[0]
    return x is not None and _is_float(inputs, outputs) and takes_windows(x.shape, plan)


def _takes_binary(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    count = prod(outputs[0].shape)
    return _is_float(inputs, outputs) and all(_count(inputs, k) in (1, count) for k in (0, 1))


def _takes_max_pool(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    is_known = _type(inputs, 0) in ("float", *BYTES) and len(outputs[0].shape) in (3, 4)
    return is_known and len(outputs) == 1 and not plan["channels_last"]


def _takes_integers(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    integers = [_type(inputs, k) for k in (0, 2, 3, 5, 7)]
    scales = [_type(inputs, k) for k in (1, 4, 6)]
    is_known = all(one in BYTES for one in (*integers, outputs[0].type))
    return is_known and all(one == "float" for one in scales)


def _takes_qlinear_matmul(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    b = inputs[3]
    is_plain = b is not None and len(b.shape) == 2 and _count(inputs, 1) == _count(inputs, 2) == 1
    return is_plain and _takes_integers(inputs, outputs, plan)


def _takes_quantized(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    wide, narrow = _type(inputs, 0), outputs[0].type
    return _takes_scaled(inputs, wide, narrow, plan) and plan["quotient"] == "float"


def _takes_dequantized(
    inputs: Sequence[Value | None], outputs: Sequence[Value], plan: Mapping[str, Any]
) -> bool:
    return _takes_scaled(inputs, outputs[0].type, _type(inputs, 0), plan)


def _takes_scaled(
    inputs: Sequence[Value | None], wide: str, narrow: str, plan: Mapping[str, Any]
) -> bool:
    """Return whether floats and 8-bit integers have one scale, or one for each index of an axis."""
    is_known = wide == "float" == _type(inputs, 1) and narrow in BYTES
    is_known = is_known and _type(inputs, 2) in ("", narrow)
    return is_known and (plan["block"] == 0 or _count(inputs, 1) == 1)


_KERNELS: dict[str, tuple[_Compact, ...]] = {
    "opmill_pool_mean_compute": (_Compact("pool", "opmill_pool_mean_compact", _takes_pool),),
    **{
        f"opmill_elementwise_binary_{name}_compute": (
            _Compact("elementwise_binary", f"opmill_{name}_compact", _takes_binary),
            _Compact(
                "elementwise_binary",
                f"opmill_{name}_broadcast",
                _takes_broadcast,
                header="compact_broadcast.h",
            ),
        )
        for name in ("add", "sub", "mul")
    },
    **{
        f"opmill_elementwise_{name}_compute": (
            _Compact("elementwise", f"opmill_{name}_compact", _takes_floats),
        )
        for name in ("abs", "hard_sigmoid", "hard_swish", "leaky_relu", "neg", "relu")
    },
    "opmill_batch_normalization_compute": (
        _Compact("batch_normalization", "opmill_batch_normalization_compact", _takes_normalization),
    ),
    "opmill_clip_compute": (_Compact("clip", "opmill_clip_compact", _takes_clip, (0,)),),
    "opmill_transpose_compute": (
        _Compact("transpose", "opmill_transpose_compact", _takes_elements, sized=True),
    ),
    "opmill_concat_compute": (_Compact("concat", "opmill_concat_compact", _takes_any),),
    "opmill_max_pool_compute": (
        _Compact("max_pool", "opmill_max_pool_compact", _takes_max_pool, (0,)),
    ),
    "opmill_qlinear_matmul_compute": (
        _Compact("qlinear_matmul", "opmill_qlinear_matmul_compact", _takes_qlinear_matmul, (0, 3)),
    ),
    "opmill_quantize_compute": (_Compact("quantize", "opmill_quantize_compact", _takes_quantized),),
    "opmill_dequantize_compute": (
        _Compact("dequantize", "opmill_dequantize_compact", _takes_dequantized),
    ),
}
"""By the library's function: the first that takes a call computes it."""
