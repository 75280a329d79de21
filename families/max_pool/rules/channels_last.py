"""The rule of com.microsoft's NhwcMaxPool, whose channels are the last axis."""

from _shared.values import check_flag
from _shared.windows import check_auto_pad, per_axis, pooling_pads, pooling_size

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
)


def rules(
    x: Tensor,
    *,
    auto_pad: str,
    ceil_mode: int,
    dilations: Ints | None,
    kernel_shape: Ints,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find how many windows each axis has, and where they begin."""
    require(x.rank >= 3, f"x has rank {x.rank}, expected at least 3")
    n = x.rank - 2
    planar = list(x.shape)
    planar[1] = x.shape[x.rank - 1]
    for i in range(n):
        planar[2 + i] = x.shape[1 + i]
    kernel = per_axis("kernel_shape", kernel_shape, n, 1, 1)
    check_auto_pad(auto_pad, pads)
    check_flag("ceil_mode", ceil_mode)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    padding = list(pooling_pads(planar, auto_pad, kernel, step, spread, pads))
    size = list(
        pooling_size(
            planar, auto_pad, ceil_mode, kernel, step, spread, padding, windows_start_in_input, 1
        )
    )
    dims = [x.shape[0]] + size + [x.shape[x.rank - 1]]
    output(y=dims)
    output(Indices=dims)  # which the version lacks
    plan(
        kernel=kernel,
        strides=step,
        dilations=spread,
        begin=padding[:n],
        column_major=False,
        channels_last=True,
    )
