"""The rule of the family qlinear_conv: channels are the second axis or the last one."""

from _shared.convolution import check_kernels, padding_and_sizes
from _shared.granularity import check_zero_point
from _shared.quantized import check_per_map, check_single
from _shared.windows import per_axis

from opmill_gen.rule_language.language import Ints, Tensor, output, plan, require


def rules(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    w: Tensor,
    w_scale: Tensor,
    w_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    B: Tensor | None,
    *,
    auto_pad: str,
    channels_last: int = 0,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute and the scales, then find the size and the padding of each axis."""
    is_last = channels_last != 0
    dims = list(x.shape)
    if is_last and x.rank >= 3:
        dims[1] = x.shape[x.rank - 1]
        for i in range(2, x.rank):
            dims[i] = x.shape[i - 1]
    name = "channels-first x.shape" if is_last else "x.shape"
    check_kernels(name, dims, "w.shape", w.shape, group, kernel_shape)
    maps = w.shape[0]
    check_single("x_scale.shape", x_scale.shape)
    check_single("x_zero_point.shape", x_zero_point.shape)
    check_per_map("w_scale.shape", w_scale.shape, maps)
    check_zero_point("w_zero_point", w_zero_point.shape, "w_scale", w_scale.shape)
    check_single("y_scale.shape", y_scale.shape)
    check_single("y_zero_point.shape", y_zero_point.shape)
    if B is not None:
        require(B.rank == 1 and B.shape[0] == maps, f"B.shape is {B.shape}, expected [{maps}]")
    n = max(0, x.rank - 2)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    first = 1 if is_last else 2
    found = list(padding_and_sizes(dims, w.shape, auto_pad, step, spread, pads, first))
    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        begin.append(found[2 * i])
        size.append(found[2 * i + 1])
    output(y=[x.shape[0]] + size + [maps] if is_last else [x.shape[0], maps] + size)
    plan(begin=begin, strides=step, dilations=spread, group=group, channels_last=is_last)
