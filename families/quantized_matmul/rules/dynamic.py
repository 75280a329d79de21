"""The rule of DynamicQuantizeMatMul: the left factor is of floats."""

from _shared.products import matmul_shape
from _shared.quantized import check_per_column
from _shared.values import check_bias

from opmill_gen.rule_language.language import Tensor, output


def rules(
    A: Tensor,
    B: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor | None,
    bias: Tensor | None,
) -> None:
    """The shapes of the factors, then those of scales, zero points and bias."""
    shape = matmul_shape("A.shape", A.shape, "B.shape", B.shape)
    check_per_column("b_scale.shape", b_scale.shape, "B.shape", B.shape)
    if b_zero_point is not None:
        check_per_column("b_zero_point.shape", b_zero_point.shape, "B.shape", B.shape)
    if bias is not None:
        check_bias("bias", bias, B.shape)
    output(Y=shape)
