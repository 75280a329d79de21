"""The rule of CausalConvWithState: a kernel for each channel, and a state one element shorter."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    past_state: Tensor | None,
    *,
    activation: str,
) -> None:
    """All of rank 3, but for the bias."""
    require_attribute(
        activation in ("none", "silu", "swish"),
        f"activation is '{activation}', expected 'none', 'silu' or 'swish'",
    )
    check_rank("input", input, 3)
    check_rank("weight", weight, 3)
    channels = input.shape[1]
    size = weight.shape[2]
    require(size >= 1, f"weight.shape[2] is {size}, expected at least 1")
    kernels = [channels, 1, size]
    require(
        weight.shape == kernels,
        f"weight.shape is {weight.shape}, expected {kernels} (channels, 1 and size of a kernel)",
    )
    if bias is not None:
        biases = [channels]
        require(
            bias.shape == biases, f"bias.shape is {bias.shape}, expected {biases} (the channels)"
        )
    state = [input.shape[0], channels, size - 1]
    if past_state is not None:
        require(
            past_state.shape == state,
            f"past_state.shape is {past_state.shape}, expected {state} "
            "(batch, channels and size of a kernel less 1)",
        )
    output(output=input.shape)
    output(present_state=state)
    plan(activates=activation != "none", size=size)
