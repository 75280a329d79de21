"""The rule of sums that are normalised, by row."""

from _shared.normalization import check_vector, one_for_each_row
from _shared.skipped import check_sum

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    input: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    epsilon: float,
) -> None:
    """The sum has the shape of input; mean and deviation are one for each row."""
    check_sum(input, skip, gamma, epsilon)
    if beta is not None:
        check_vector("beta", beta, input.shape[max(0, input.rank - 1)], "the last axis of input")
    if bias is not None:
        check_vector("bias", bias, input.shape[max(0, input.rank - 1)], "the last axis of input")
    plan(epsilon=epsilon)
    output(output=input.shape)
    output(mean=one_for_each_row(input, input.rank - 1))
    output(inv_std_var=one_for_each_row(input, input.rank - 1))
    output(input_skip_bias_sum=input.shape)
