"""The rule of the family fused_conv: that of conv, a tensor to add, an activation."""

from _shared.activations import conv_activation, parameter, parameter_count
from _shared.convolution import check_kernels, padding_and_sizes
from _shared.windows import per_axis

from opmill_gen.rule_language.language import Floats, Ints, Tensor, output, plan, require


def rules(
    X: Tensor,
    W: Tensor,
    B: Tensor | None,
    Z: Tensor | None,
    *,
    activation: str | None,
    activation_params: Floats | None,
    auto_pad: str,
    dilations: Ints | None,
    group: int,
    kernel_shape: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """The activation first, then what Conv checks, then the shape of what is added."""
    number = -1
    count = 0
    if activation is not None:
        number = conv_activation(activation)
        count = parameter_count(activation_params, number, activation)
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
    shape = [X.shape[0], maps] + size
    if Z is not None:
        require(Z.shape == shape, f"Z.shape is {Z.shape}, expected {shape} (Y.shape)")
    output(Y=shape)
    plan(
        activation=number,
        activation_alpha=parameter(activation_params, count, 0),
        activation_beta=parameter(activation_params, count, 1),
        begin=begin,
        strides=step,
        dilations=spread,
        group=group,
    )
