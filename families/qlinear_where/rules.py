"""The rule of the family qlinear_where."""

from _shared.broadcast import broadcast_three
from _shared.single_values import check_pair

from opmill_gen.rule_language.language import Tensor, output


def rules(
    condition: Tensor,
    X: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    Y: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    z_scale: Tensor,
    z_zero_point: Tensor,
) -> None:
    """All three shapes, aligned at their ends, give that of the output."""
    check_pair("x_scale.shape", x_scale, "x_zero_point.shape", x_zero_point)
    check_pair("y_scale.shape", y_scale, "y_zero_point.shape", y_zero_point)
    check_pair("z_scale.shape", z_scale, "z_zero_point.shape", z_zero_point)
    shape = broadcast_three(
        "condition.shape", condition.shape, "X.shape", X.shape, "Y.shape", Y.shape
    )
    output(Z=shape)
