"""The rule of versions whose attribute `training_mode` states whether they train."""

from _shared.normalization import check_statistics, statistics_shape
from _shared.values import check_flag

from opmill_gen.rule_language.language import OutputCount, Tensor, output, plan, require


def rules(
    X: Tensor,
    scale: Tensor,
    B: Tensor,
    input_mean: Tensor,
    input_var: Tensor,
    *,
    epsilon: float,
    momentum: float,
    training_mode: int,
    outputs: OutputCount,
) -> None:
    """Scale, bias, mean and variance have an element for each channel."""
    check_flag("training_mode", training_mode)
    dims = statistics_shape(X, 1, one_axis)
    check_statistics("scale", scale, dims)
    check_statistics("B", B, dims)
    check_statistics("input_mean", input_mean, dims)
    check_statistics("input_var", input_var, dims)
    require(
        training_mode == 1 or outputs == 1,
        f"number of outputs is {outputs}, expected 1 (training_mode is 0)",
    )
    plan(
        training=training_mode == 1,
        activations=False,
        epsilon=epsilon,
        momentum=momentum,
    )
    output(Y=X.shape)
    output(running_mean=dims)
    output(running_var=dims)
    output(saved_mean=dims)
    output(saved_var=dims)
