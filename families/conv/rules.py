"""The rule of the family conv."""

from _shared.convolution import check_kernels, padding_and_sizes
from _shared.windows import per_axis

from opmill_gen.rule_language.language import Ints, Tensor, output, plan, require


def rules(
    X: Tensor,
    W: Tensor,
    B: Tensor | None,
    *,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """Check every attribute, then find the size and the padding of each axis."""
    check_kernels("X.shape", X.shape, "W.shape", W.shape, group, kernel_shape)
    maps = W.shape[0]
    if B is not None:
        require(B.rank == 1 and B.shape[0] == maps, f"B.shape is {B.shape}, expected [{maps}]")
    n = max(0, X.rank - 2)
    step = per_axis("strides", strides, n, 1, 1)
    spread = per_axis("dilations", dilations, n, 1, 1)
    found = padding_and_sizes(X.shape, W.shape, auto_pad, step, spread, pads, 2)
    size: list[int] = []
    begin: list[int] = []
    for i in range(n):
        begin.append(found[2 * i])
        size.append(found[2 * i + 1])
    output(Y=[X.shape[0], maps] + size)
    plan(begin=begin, strides=step, dilations=spread, group=group)
