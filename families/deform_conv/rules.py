"""The rule of DeformConv: a convolution with an offset for each element of a kernel."""

from _shared.convolution import check_kernels
from _shared.windows import per_axis

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor,
    W: Tensor,
    offset: Tensor,
    B: Tensor | None,
    mask: Tensor | None,
    *,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    offset_group: int,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check the kernels, then the offsets and the mask of each position of the output."""
    check_kernels("X.shape", X.shape, "W.shape", W.shape, group, kernel_shape)
    maps = W.shape[0]
    if B is not None:
        require(B.rank == 1 and B.shape[0] == maps, f"B.shape is {B.shape}, expected [{maps}]")
    require_attribute(offset_group >= 1, f"offset_group is {offset_group}, expected at least 1")
    require_attribute(
        X.shape[1] % max(1, offset_group) == 0,
        f"offset_group is {offset_group}, expected a divisor of {X.shape[1]} (X.shape[1])",
    )
    n = max(0, X.rank - 2)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    padding = per_axis("pads", pads, 2 * n, 0, 0)
    size: list[int] = []
    begin: list[int] = []
    taps = 1
    for i in range(n):
        stride = max(1, step[i])  # already at least 1; max() proves it to the compiler
        reach = (W.shape[2 + i] - 1) * spread[i] + 1
        o = (X.shape[2 + i] + padding[i] + padding[n + i] - reach) // stride + 1
        require(o >= 0, f"output size is {o} on axis {2 + i}, expected at least 0")
        begin.append(padding[i])
        size.append(o)
        taps = taps * W.shape[2 + i]
    groups = offset_group * taps
    expected = [X.shape[0], groups * n] + size
    require(offset.shape == expected, f"offset.shape is {offset.shape}, expected {expected}")
    if mask is not None:
        factors = [X.shape[0], groups] + size
        require(mask.shape == factors, f"mask.shape is {mask.shape}, expected {factors}")
    output(Y=[X.shape[0], maps] + size)
    plan(begin=begin, dilations=spread, group=group, offset_group=offset_group, strides=step)
