"""The rule of the family fused_matmul: shapes are those that the transpositions give."""

from _shared.products import matmul_shape

from opmill_gen.rule_language.language import Dims, Ints, Tensor, output, plan, require


def transposed(dims: Dims, moves_first: int, swaps_last: int) -> Ints:
    """The dims with the first one moved behind the batch, then with the last two swapped."""
    result = list(dims)
    n = len(dims)
    if n >= 2:
        if moves_first != 0:
            for i in range(n - 2):
                result[i] = dims[i + 1]
            result[n - 2] = dims[0]
        if swaps_last != 0:
            last = result[n - 1]
            result[n - 1] = result[n - 2]
            result[n - 2] = last
    return result


def rules(
    A: Tensor,
    B: Tensor,
    *,
    alpha: float,
    transA: int,
    transB: int,
    transBatchA: int = 0,
    transBatchB: int = 0,
) -> None:
    """A vector is not transposed; a batch is moved only where both have one."""
    require(A.rank >= 1, f"A has rank {A.rank}, expected at least 1")
    require(B.rank >= 1, f"B has rank {B.rank}, expected at least 1")
    if transBatchA != 0 or transBatchB != 0:
        require(A.rank >= 3, f"A has rank {A.rank}, expected at least 3 (the batch is transposed)")
        require(B.rank == A.rank, f"B has rank {B.rank}, expected {A.rank} (the rank of A)")
    output(
        Y=matmul_shape(
            "effective A.shape",
            transposed(A.shape, transBatchA, transA),
            "effective B.shape",
            transposed(B.shape, transBatchB, transB),
        )
    )
    plan(
        alpha=alpha,
        swaps_a=transA != 0,
        swaps_b=transB != 0,
        moves_a=transBatchA != 0,
        moves_b=transBatchB != 0,
    )
