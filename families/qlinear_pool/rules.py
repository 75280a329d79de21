"""The rule of the family qlinear_pool: channels are the second axis or the last one."""

from _shared.single_values import check_pair
from _shared.values import check_flag
from _shared.windows import check_auto_pad, per_axis, pooling_pads, pooling_size

from opmill_gen.rule_language.language import Ints, Tensor, output, plan, require


def rules(
    X: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor | None,
    y_scale: Tensor,
    y_zero_point: Tensor | None,
    *,
    auto_pad: str,
    ceil_mode: int,
    channels_last: int,
    count_include_pad: int,
    kernel_shape: Ints,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find how many windows each axis has, and where they begin."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    n = X.rank - 2
    check_pair("x_scale.shape", x_scale, "x_zero_point.shape", x_zero_point)
    check_pair("y_scale.shape", y_scale, "y_zero_point.shape", y_zero_point)
    kernel = per_axis("kernel_shape", kernel_shape, n, 1, 1)
    check_auto_pad(auto_pad, pads)
    check_flag("ceil_mode", ceil_mode)
    check_flag("count_include_pad", count_include_pad)
    step = per_axis("strides", strides, n, 1, 1)
    dilations = [1] * n
    first = 1 if channels_last != 0 else 2
    x = list(X.shape)
    if channels_last != 0:
        x[1] = X.shape[X.rank - 1]
        for i in range(n):
            x[2 + i] = X.shape[1 + i]
    padding = list(pooling_pads(x, auto_pad, kernel, step, dilations, pads))
    size = list(pooling_size(x, auto_pad, ceil_mode, kernel, step, dilations, padding, True, first))
    dims = list(X.shape)
    for i in range(n):
        dims[first + i] = size[i]
    output(Y=dims)
    plan(
        kernel=kernel,
        strides=step,
        begin=padding[:n],
        counted=padding if count_include_pad == 1 else [0] * (2 * n),
        channels_last=channels_last != 0,
    )
