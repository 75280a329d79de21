"""The rule of the family qlinear_binary: NumPy's broadcasting, one scale for each tensor."""

from _shared.broadcast import broadcast_two
from _shared.single_values import check_pair

from opmill_gen.rule_language.language import Tensor, output


def rules(
    A: Tensor,
    A_scale: Tensor,
    A_zero_point: Tensor | None,
    B: Tensor,
    B_scale: Tensor,
    B_zero_point: Tensor | None,
    C_scale: Tensor,
    C_zero_point: Tensor | None,
) -> None:
    """Shapes are aligned at their ends; scales and zero points are single values."""
    check_pair("A_scale.shape", A_scale, "A_zero_point.shape", A_zero_point)
    check_pair("B_scale.shape", B_scale, "B_zero_point.shape", B_zero_point)
    check_pair("C_scale.shape", C_scale, "C_zero_point.shape", C_zero_point)
    output(C=broadcast_two("A.shape", A.shape, "B.shape", B.shape))
