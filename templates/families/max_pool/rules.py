"""The rule of the family max_pool."""

from _shared.values import check_flag
from _shared.windows import at_beginning, check_auto_pad, check_extent, per_axis

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    output,
    plan,
    require,
)


def rules(
    X: Tensor,
    *,
    auto_pad: str,
    ceil_mode: int = 0,
    dilations: Ints | None = None,
    kernel_shape: Ints,
    pads: Ints | None,
    storage_order: int = 0,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find how many windows each axis has, and where they begin."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    n = X.rank - 2
    kernel = per_axis("kernel_shape", kernel_shape, n, 1, 1)
    check_auto_pad(auto_pad, pads)
    check_flag("ceil_mode", ceil_mode)
    check_flag("storage_order", storage_order)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    padding = per_axis("pads", pads, 2 * n, 0, 0)

    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        length = X.shape[2 + i]
        stride = step[i]
        reach = (kernel[i] - 1) * spread[i] + 1
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            o = (length + stride - 1) // stride
            total = max(0, (o - 1) * stride + reach - length)
            begin.append(at_beginning(auto_pad, total))
        else:
            before = padding[i]
            room = length + before + padding[n + i] - reach
            if ceil_mode == 1 and auto_pad == "NOTSET":
                o = (room + stride - 1) // stride + 1
                # The last window must start before the input ends.
                if (o - 1) * stride >= length + before:
                    o = o - 1
            else:
                o = room // stride + 1
            if windows_start_in_input:
                o = min(o, (length + before + stride - 1) // stride)
            begin.append(before)
        check_extent(2 + i, o)
        size.append(o)

    dims = [X.shape[0], X.shape[1]] + size
    output(Y=dims)
    output(Indices=dims)
    plan(
        kernel=kernel,
        strides=step,
        dilations=spread,
        begin=begin,
        column_major=storage_order == 1,
    )
