"""The rule of the family gemm."""

from _shared.broadcast import check_broadcasts_to
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    A: Tensor,
    B: Tensor,
    C: Tensor | None,
    *,
    alpha: float,
    beta: float,
    broadcast: int = 1,
    transA: int,
    transB: int,
) -> None:
    """The sizes of both matrices, and a C of the product's shape or one that broadcasts to it."""
    check_rank("A", A, 2)
    check_rank("B", B, 2)
    m = A.shape[1] if transA != 0 else A.shape[0]
    k = A.shape[0] if transA != 0 else A.shape[1]
    summed = 1 if transB != 0 else 0
    n = B.shape[0] if transB != 0 else B.shape[1]
    require(
        B.shape[summed] == k,
        f"B.shape[{summed}] is {B.shape[summed]}, "
        f"expected {k} (A.shape[{0 if transA != 0 else 1}])",
    )
    shape = [m, n]
    if C is not None:
        if broadcast == 0:
            require(
                C.shape == shape,
                f"C.shape is {C.shape}, expected {shape} (Y.shape, where broadcast is 0)",
            )
        else:
            check_broadcasts_to("C.shape", C.shape, "Y.shape", shape)
    output(Y=shape)
    plan(alpha=alpha, beta=beta, transpose_a=transA != 0, transpose_b=transB != 0)
