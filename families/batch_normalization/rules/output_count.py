"""The rule of versions that train where all outputs are asked for."""

from _shared.normalization import check_statistics, statistics_shape
from _shared.values import check_flag

from opmill_gen.rule_language.language import OutputCount, Tensor, output, plan, require


def rules(
    X: Tensor,
    scale: Tensor,
    B: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float,
    momentum: float,
    spatial: int = 1,
    outputs: OutputCount,
) -> None:
    """Scale, bias, mean and variance have an element for each channel."""
    check_flag("spatial", spatial)
    dims = statistics_shape(X, spatial, one_axis)
    check_statistics("scale", scale, dims)
    check_statistics("B", B, dims)
    check_statistics("mean", mean, dims)
    check_statistics("var", var, dims)
    require(
        outputs == 1 or outputs == 5,
        f"number of outputs is {outputs}, expected 1 (inference) or 5 (training)",
    )
    plan(
        training=outputs > 1,
        activations=spatial == 0,
        epsilon=epsilon,
        momentum=momentum,
    )
    output(Y=X.shape)
    output(output_mean=dims)
    output(output_var=dims)
    output(saved_mean=dims)
    output(saved_var=dims)
