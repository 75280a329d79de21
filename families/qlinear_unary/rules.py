"""The rule of functions of one quantised tensor, some with the number `alpha`."""

from _shared.single_values import check_pair

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    X: Tensor,
    X_scale: Tensor,
    X_zero_point: Tensor | None,
    Y_scale: Tensor,
    Y_zero_point: Tensor | None,
    *,
    alpha: float = 0.0,
) -> None:
    """Any shape; scales and zero points are single values."""
    check_pair("X_scale.shape", X_scale, "X_zero_point.shape", X_zero_point)
    check_pair("Y_scale.shape", Y_scale, "Y_zero_point.shape", Y_zero_point)
    output(Y=X.shape)
    plan(alpha=alpha)
