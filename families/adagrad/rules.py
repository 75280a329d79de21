"""The rule of Adagrad."""

from _shared.optimizers import check_groups, check_scalar

from opmill_gen.rule_language.language import OutputCount, Tensor, Tensors, output, plan


def rules(
    R: Tensor,
    T: Tensor,
    inputs: Tensors,
    *,
    decay_factor: float,
    epsilon: float,
    norm_coefficient: float,
    outputs: OutputCount,
) -> None:
    """Tensors, their gradients and their sums of squares."""
    check_scalar("R", R.size)
    check_scalar("T", T.size)
    count = check_groups(inputs, 3, outputs)
    for k in range(2 * count):
        output(outputs=inputs[k].shape)
    plan(decay_factor=decay_factor, epsilon=epsilon, norm_coefficient=norm_coefficient)
