"""The rule of InstanceNormalization: every channel is a group."""

from _shared.normalization import check_vector

from opmill_gen.rule_language.language import Ints, Tensor, output, plan, require


def rules(
    input: Tensor,
    scale: Tensor,
    B: Tensor,
    *,
    epsilon: float,
    consumed_inputs: Ints | None = None,
) -> None:
    """Scale and bias have an element for each channel."""
    require(input.rank >= 2, f"input has rank {input.rank}, expected at least 2")
    check_vector("scale", scale, input.shape[1], "the channels of input")
    check_vector("B", B, input.shape[1], "the channels of input")
    plan(groups=input.shape[1], scales=input.shape[1], epsilon=epsilon, stash=0)
    output(output=input.shape)
