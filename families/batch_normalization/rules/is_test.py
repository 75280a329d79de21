"""The rule of versions that state by an attribute whether they train."""

from _shared.normalization import check_statistics, statistics_shape
from _shared.values import check_flag

from opmill_gen.rule_language.language import Ints, OutputCount, Tensor, output, plan, require


def rules(
    X: Tensor,
    scale: Tensor,
    B: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float,
    momentum: float,
    is_test: int,
    spatial: int,
    consumed_inputs: Ints | None = None,
    outputs: OutputCount,
) -> None:
    """Scale, bias, mean and variance have an element for each channel."""
    check_flag("is_test", is_test)
    check_flag("spatial", spatial)
    dims = statistics_shape(X, spatial, one_axis)
    check_statistics("scale", scale, dims)
    check_statistics("B", B, dims)
    check_statistics("mean", mean, dims)
    check_statistics("var", var, dims)
    require(
        is_test == 0 or outputs == 1,
        f"number of outputs is {outputs}, expected 1 (is_test is 1)",
    )
    plan(
        training=is_test == 0,
        activations=spatial == 0,
        epsilon=epsilon,
        momentum=momentum,
    )
    output(Y=X.shape)
    output(output_mean=dims)
    output(output_var=dims)
    output(saved_mean=dims)
    output(saved_var=dims)
