"""The rule of the family qlinear_softmax: lines by the attributes `axis` and `opset`."""

from _shared.axes import attribute_axis
from _shared.single_values import check_pair

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    X: Tensor,
    X_scale: Tensor,
    x_zero_point: Tensor | None,
    y_scale: Tensor,
    y_zero_point: Tensor,
    *,
    axis: int,
    opset: int,
) -> None:
    """One axis from opset 13 on, before it all axes from `axis` on."""
    first = attribute_axis("axis", axis, X.rank, True)
    check_pair("X_scale.shape", X_scale, "x_zero_point.shape", x_zero_point)
    check_pair("y_scale.shape", y_scale, "y_zero_point.shape", y_zero_point)
    plan(begin=first, end=first + 1 if opset >= 13 else X.rank)
    output(Y=X.shape)
