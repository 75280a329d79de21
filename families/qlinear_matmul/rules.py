"""The rule of the family qlinear_matmul."""

from _shared.granularity import check_zero_point
from _shared.products import matmul_shape
from _shared.quantized import check_per_column, check_per_row, check_single

from opmill_gen.rule_language.language import Tensor, output


def rules(
    a: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    b: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
) -> None:
    """The shapes of the factors, then those of the scales and zero points."""
    shape = matmul_shape("a.shape", a.shape, "b.shape", b.shape)
    check_per_row("a_scale.shape", a_scale.shape, "a.shape", a.shape)
    check_zero_point("a_zero_point", a_zero_point.shape, "a_scale", a_scale.shape)
    check_per_column("b_scale.shape", b_scale.shape, "b.shape", b.shape)
    check_zero_point("b_zero_point", b_zero_point.shape, "b_scale", b_scale.shape)
    check_single("y_scale.shape", y_scale.shape)
    check_single("y_zero_point.shape", y_zero_point.shape)
    output(y=shape)
