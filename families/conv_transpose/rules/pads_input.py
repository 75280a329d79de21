"""The rule of com.microsoft's ConvTransposeWithDynamicPads, whose crop is an input."""

from _shared.transposed_convolution import check_transposed, full_size
from _shared.windows import at_beginning, check_extent, check_padding_word, per_axis

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
)


def rules(
    X: Tensor,
    W: Tensor,
    Pads: Tensor | None,
    B: Tensor | None,
    *,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    output_padding: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find the size and the crop at the beginning of each axis."""
    check_transposed(X.shape, W.shape, group, kernel_shape)
    n = max(0, X.rank - 2)
    maps = W.shape[1] * group
    if B is not None:
        require(B.rank == 1 and B.shape[0] == maps, f"B.shape is {B.shape}, expected [{maps}]")
    check_padding_word(auto_pad)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    extra = per_axis("output_padding", output_padding, n, 0, 0)
    crop = [0] * (2 * n)
    if Pads is not None:
        require(Pads.rank == 1, f"Pads has rank {Pads.rank}, expected 1")
        count = Pads.shape[0]
        require(count == 2 * n, f"Pads has {counted(count, 'value')}, expected {2 * n}")
        for i in range(2 * n):
            value = Pads.values[i]
            require(value >= 0, f"Pads[{i}] is {value}, expected at least 0")
            crop[i] = value
    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        length = X.shape[2 + i]
        full = full_size(i, length, W.shape[2 + i], step[i], spread[i], extra[i])
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, full - length * step[i])
            first = at_beginning(auto_pad, total)
        else:
            total = crop[i] + crop[n + i]
            first = crop[i]
        o = full - total
        check_extent(2 + i, o)
        begin.append(first)
        size.append(o)
    output(Y=[X.shape[0], maps] + size)
    plan(begin=begin, strides=step, dilations=spread, group=group)
