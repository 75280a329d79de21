"""The rule of ai.onnx ConvTranspose."""

from _shared.transposed_convolution import check_transposed, full_size
from _shared.windows import at_beginning, check_auto_pad, check_extent, per_axis

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
    B: Tensor | None,
    *,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    output_padding: Ints | None,
    output_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find the size and the crop at the beginning of each axis."""
    check_transposed(X.shape, W.shape, group, kernel_shape)
    n = max(0, X.rank - 2)
    maps = W.shape[1] * group
    if B is not None:
        require(B.rank == 1 and B.shape[0] == maps, f"B.shape is {B.shape}, expected [{maps}]")

    check_auto_pad(auto_pad, pads)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    extra = per_axis("output_padding", output_padding, n, 0, 0)
    crop = per_axis("pads", pads, 2 * n, 0, 0)
    wanted = per_axis("output_shape", output_shape, n, 0, 1)

    # How the output of each axis comes about: `full` is its size before cropping. A wanted
    # size below that is cropped on both sides; one above it leaves positions at the end that no tap
    # reaches, as output_padding does. Where the crop is odd, SAME_UPPER takes more at the end and
    # everything else more at the beginning.
    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        length = X.shape[2 + i]
        reach = max(step[i], spread[i])
        full = full_size(i, length, W.shape[2 + i], step[i], spread[i], extra[i])

        if output_shape is not None:
            require(
                length >= 1,
                f"axis {2 + i} of X has size {length}, expected at least 1 beside output_shape",
            )
            surplus = max(0, wanted[i] - full)
            require_attribute(
                extra[i] + surplus < reach,
                f"output_shape[{i}] is {wanted[i]}, expected at most {full - extra[i] + reach - 1}",
            )
            total = max(0, full - wanted[i])
            o = wanted[i]
        elif auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            total = max(0, full - length * step[i])
            o = full - total
        else:
            total = crop[i] + crop[n + i]
            o = full - total
        check_extent(2 + i, o)

        if output_shape is None and auto_pad == "NOTSET":
            begin.append(crop[i])
        else:
            begin.append(at_beginning(auto_pad, total))
        size.append(o)

    output(Y=[X.shape[0], maps] + size)
    plan(begin=begin, strides=step, dilations=spread, group=group)
