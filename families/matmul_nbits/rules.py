"""The rule of the family matmul_nbits: every shape follows from K, N, bits and block_size."""

from opmill_gen.rule_language.language import (
    Tensor,
    output,
    plan,
    require,
    require_attribute,
    require_type,
)


def check_table(name: str, tensor: Tensor, rows: int, columns: int, what: str) -> None:
    """A matrix, or its elements in one vector."""
    dims = [rows, columns]
    is_vector = tensor.rank == 1 and tensor.size == rows * columns
    require(
        tensor.shape == dims or is_vector,
        f"{name}.shape is {tensor.shape}, expected {dims} or [{rows * columns}] ({what})",
    )


def rules(
    A: Tensor,
    B: Tensor,
    scales: Tensor,
    zero_points: Tensor | None,
    g_idx: Tensor | None,
    bias: Tensor | None,
    *,
    K: int,
    N: int,
    accuracy_level: int,
    bits: int,
    block_size: int,
    weight_prepacked: int,
) -> None:
    """The attributes first, then the shapes in the order of the inputs."""
    require_attribute(K >= 1, f"K is {K}, expected at least 1")
    require_attribute(N >= 0, f"N is {N}, expected at least 0")
    require_attribute(bits == 2 or bits == 4 or bits == 8, f"bits is {bits}, expected 2, 4 or 8")
    require_attribute(
        block_size == 16
        or block_size == 32
        or block_size == 64
        or block_size == 128
        or block_size == 256,
        f"block_size is {block_size}, expected 16, 32, 64, 128 or 256",
    )
    require_attribute(
        weight_prepacked == 0,
        f"weight_prepacked is {weight_prepacked}, expected 0 (the layout of B)",
    )
    require(A.rank >= 1, "A has rank 0, expected at least 1")
    last = A.shape[A.rank - 1]
    require(last == K, f"A.shape[{A.rank - 1}] is {last}, expected {K} (K)")
    blocks = (K - 1) // max(1, block_size) + 1
    packed = [N, blocks, block_size * bits // 8]
    require(B.shape == packed, f"B.shape is {B.shape}, expected {packed} (rows, blocks, bytes)")
    check_table("scales", scales, N, blocks, "one scale for each block")
    if zero_points is not None:
        if zero_points.type == "uint8":
            columns = (blocks * bits - 1) // 8 + 1
            check_table("zero_points", zero_points, N, columns, "bytes of the zero points of a row")
        else:
            require_type(
                zero_points.type == A.type,
                f"zero_points has type {zero_points.type}, expected uint8 or {A.type} (that of A)",
            )
            check_table("zero_points", zero_points, N, blocks, "one zero point for each block")
    if g_idx is not None:
        padded = blocks * block_size
        require(
            g_idx.rank == 1 and (g_idx.size == K or g_idx.size == padded),
            f"g_idx.shape is {g_idx.shape}, expected [{K}] or [{padded}] (K, or all blocks)",
        )
    if bias is not None:
        wanted = [N]
        require(bias.shape == wanted, f"bias.shape is {bias.shape}, expected {wanted} (N)")
    shape = list(A.shape)
    for i in range(A.rank):
        if i == A.rank - 1:
            shape[i] = N
    output(Y=shape)
    plan(bits=bits, block_size=block_size, blocks=blocks)
