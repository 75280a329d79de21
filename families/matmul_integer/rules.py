"""The rule of the family matmul_integer."""

from _shared.products import matmul_shape
from _shared.quantized import check_per_column, check_per_row

from opmill_gen.rule_language.language import Tensor, output


def rules(A: Tensor, B: Tensor, a_zero_point: Tensor | None, b_zero_point: Tensor | None) -> None:
    """The shapes of the factors, then those of their zero points."""
    shape = matmul_shape("A.shape", A.shape, "B.shape", B.shape)
    if a_zero_point is not None:
        check_per_row("a_zero_point.shape", a_zero_point.shape, "A.shape", A.shape)
    if b_zero_point is not None:
        check_per_column("b_zero_point.shape", b_zero_point.shape, "B.shape", B.shape)
    output(Y=shape)
