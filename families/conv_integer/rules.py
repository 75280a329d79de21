"""The rule of the family conv_integer."""

from _shared.convolution import check_kernels, padding_and_sizes
from _shared.quantized import check_per_map, check_single
from _shared.windows import per_axis

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(
    x: Tensor,
    w: Tensor,
    x_zero_point: Tensor | None,
    w_zero_point: Tensor | None,
    *,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute and the zero points, then find the size and padding of each axis."""
    check_kernels("x.shape", x.shape, "w.shape", w.shape, group, kernel_shape)
    maps = w.shape[0]
    if x_zero_point is not None:
        check_single("x_zero_point.shape", x_zero_point.shape)
    if w_zero_point is not None:
        check_per_map("w_zero_point.shape", w_zero_point.shape, maps)
    n = max(0, x.rank - 2)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    found = padding_and_sizes(x.shape, w.shape, auto_pad, step, spread, pads, 2)
    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        begin.append(found[2 * i])
        size.append(found[2 * i + 1])
    output(y=[x.shape[0], maps] + size)
    plan(begin=begin, strides=step, dilations=spread, group=group)
