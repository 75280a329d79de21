"""The rule of Adam."""

from _shared.optimizers import check_groups, check_scalar

from opmill_gen.rule_language.language import OutputCount, Tensor, Tensors, output, plan


def rules(
    R: Tensor,
    T: Tensor,
    inputs: Tensors,
    *,
    alpha: float,
    beta: float,
    epsilon: float,
    norm_coefficient: float,
    norm_coefficient_post: float,
    outputs: OutputCount,
) -> None:
    """Tensors, their gradients, and the averages of these and of their squares."""
    check_scalar("R", R.size)
    check_scalar("T", T.size)
    count = check_groups(inputs, 4, outputs)
    for k in range(3 * count):
        output(outputs=inputs[k].shape)
    plan(alpha=alpha, beta=beta, epsilon=epsilon, norm_coefficient=norm_coefficient)
    plan(norm_coefficient_post=norm_coefficient_post)
