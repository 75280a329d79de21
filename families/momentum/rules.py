"""The rule of Momentum."""

from _shared.optimizers import check_groups, check_scalar

from opmill_gen.rule_language.language import (
    OutputCount,
    Tensor,
    Tensors,
    output,
    plan,
    require_attribute,
)


def rules(
    R: Tensor,
    T: Tensor,
    inputs: Tensors,
    *,
    alpha: float,
    beta: float,
    mode: str,
    norm_coefficient: float,
    outputs: OutputCount,
) -> None:
    """Tensors, their gradients and their momentums."""
    require_attribute(
        mode in ("nesterov", "standard"), f"mode is '{mode}', expected 'nesterov' or 'standard'"
    )
    check_scalar("R", R.size)
    check_scalar("T", T.size)
    count = check_groups(inputs, 3, outputs)
    for k in range(2 * count):
        output(outputs=inputs[k].shape)
    plan(alpha=alpha, beta=beta, norm_coefficient=norm_coefficient)
    plan(is_nesterov=mode == "nesterov")
