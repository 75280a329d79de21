"""The kernels in little code and memory, which families have beside those of the library.

They have the arguments of the family's kernel, need no workspace, and give the bits of the
instruction set ``plain``. Each takes some calls only; the library computes the others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from opmill._compile.network import Value


class _Compact(NamedTuple):
    """A compact kernel.

    Args:
        family: its folder, whose ``compact.h`` declares it.
        function: its name.
        takes: whether it computes a call, by the inputs, the output and the plan.
    """

    family: str
    function: str
    takes: Callable[[Sequence[Value | None], Value, Mapping[str, Any]], bool]


def compact_entry(
    entry: Mapping[str, Any],
    inputs: Sequence[Value | None],
    outputs: Sequence[Value],
    plan: Mapping[str, Any],
) -> dict[str, Any] | None:
    """How a call is computed by a compact kernel; ``None`` where there is none."""
    kernel = _KERNELS.get(entry["function"])
    read = [k for k in range(len(inputs)) if f"i{k}" in entry["arguments"]]
    known = [*filter(None, (inputs[k] for k in read)), *outputs]
    if kernel is None or any(one.type != "float" or one.bytes > _MAX_BYTES for one in known):
        return None
    if not all(one.bytes for one in known) or not kernel.takes(inputs, outputs[0], plan):
        return None
    return {
        **{key: value for key, value in entry.items() if key != "workspace"},
        "header": f"families/{kernel.family}/compact.h",
        "function": kernel.function,
        "folder": f"src/families/{kernel.family}",
    }


_MAX_BYTES = 1 << 30
"""Indices have 32 bits."""


def _takes_conv(inputs: Sequence[Value | None], output: Value, plan: Mapping[str, Any]) -> bool:
    return len(output.shape) in (3, 4)


def _takes_any(inputs: Sequence[Value | None], output: Value, plan: Mapping[str, Any]) -> bool:
    return True


def _takes_lines(inputs: Sequence[Value | None], output: Value, plan: Mapping[str, Any]) -> bool:
    return all(dim == 1 for dim in output.shape[int(plan["end"]) :])


def _takes_means(inputs: Sequence[Value | None], output: Value, plan: Mapping[str, Any]) -> bool:
    reduces = [bool(one) for one in plan["reduces"]]
    return any(reduces) and sorted(reduces) == reduces


_KERNELS = {
    "opmill_conv_compute": _Compact("conv", "opmill_conv_compact", _takes_conv),
    "opmill_gemm_compute": _Compact("gemm", "opmill_gemm_compact", _takes_any),
    "opmill_softmax_softmax_compute": _Compact("softmax", "opmill_softmax_compact", _takes_lines),
    "opmill_reduce_mean_compute": _Compact("reduce", "opmill_reduce_mean_compact", _takes_means),
}
"""By the library's function."""
