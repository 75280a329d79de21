"""The rule of the family quantized_gemm."""

from _shared.broadcast import check_broadcasts_to
from _shared.quantized import check_single
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    A: Tensor,
    a_scale: Tensor,
    a_zero_point: Tensor,
    B: Tensor,
    b_scale: Tensor,
    b_zero_point: Tensor,
    C: Tensor | None,
    y_scale: Tensor | None,
    y_zero_point: Tensor | None,
    *,
    alpha: float,
    transA: int,
    transB: int,
) -> None:
    """The sizes of both matrices, then the shapes of scales and zero points."""
    check_rank("A", A, 2)
    check_rank("B", B, 2)
    m = A.shape[1] if transA != 0 else A.shape[0]
    k = A.shape[0] if transA != 0 else A.shape[1]
    n = B.shape[0] if transB != 0 else B.shape[1]
    summed = 1 if transB != 0 else 0
    require(
        B.shape[summed] == k,
        f"B.shape[{summed}] is {B.shape[summed]}, "
        f"expected {k} (A.shape[{0 if transA != 0 else 1}])",
    )
    check_single("a_scale.shape", a_scale.shape)
    check_single("a_zero_point.shape", a_zero_point.shape)
    if b_scale.size != 1 or b_scale.rank > 1:
        require(b_scale.rank == 1, f"b_scale has rank {b_scale.rank}, expected 0 or 1")
        require(
            b_scale.shape[0] == n,
            f"b_scale.shape[0] is {b_scale.shape[0]}, expected 1 or {n} "
            f"(B.shape[{0 if transB != 0 else 1}])",
        )
    if b_zero_point.size != 1 or b_zero_point.rank > 1 or b_scale.size != 1:
        require(
            b_zero_point.shape == b_scale.shape,
            f"b_zero_point.shape is {b_zero_point.shape}, expected {b_scale.shape} (b_scale.shape)",
        )
    shape = [m, n]
    if C is not None:
        check_broadcasts_to("C.shape", C.shape, "Y.shape", shape)
    if y_scale is not None:
        check_single("y_scale.shape", y_scale.shape)
        require(y_zero_point is not None, "y_zero_point is absent, expected a value (y_scale has)")
    if y_zero_point is not None:
        check_single("y_zero_point.shape", y_zero_point.shape)
        require(y_scale is not None, "y_scale is absent, expected a value (y_zero_point has)")
    output(Y=shape)
    plan(alpha=alpha, transpose_a=transA != 0, transpose_b=transB != 0)
