"""Shapes of products of matrices, as NumPy's matmul finds them."""

from _shared.broadcast import broadcast_two

from opmill_gen.rule_language.language import MAX_RANK, Dims, Ints, require


def matmul_shape(a_name: str, a: Dims, b_name: str, b: Dims) -> Ints:
    """The shape of the product: a vector counts as one row on the left, one column on the right.

    ``a_name`` and its kin are what messages call a shape: ``A.shape``.
    """
    require(len(a) >= 1, f"{a_name} has 0 dims, expected at least 1")
    require(len(b) >= 1, f"{b_name} has 0 dims, expected at least 1")
    summed = a[len(a) - 1]
    axis = max(0, len(b) - 2)
    require(
        b[axis] == summed,
        f"{b_name}[{axis}] is {b[axis]}, expected {summed} ({a_name}[{len(a) - 1}])",
    )
    stack = broadcast_two(a_name, a[: max(0, len(a) - 2)], b_name, b[: max(0, len(b) - 2)])
    stack = stack[: min(len(stack), MAX_RANK - 2)]  # which it is; the bound has to be seen
    rows: list[int] = []
    if len(a) >= 2:
        rows.append(a[len(a) - 2])
    columns: list[int] = []
    if len(b) >= 2:
        columns.append(b[len(b) - 1])
    return stack + rows + columns
