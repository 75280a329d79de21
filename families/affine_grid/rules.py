"""The rule of AffineGrid: a matrix for each element of the batch, of two or three rows."""

from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import Tensor, counted, output, plan, require


def rules(theta: Tensor, size: Tensor, *, align_corners: int) -> None:
    """A position of as many numbers as the matrix has rows, for each point of the grid."""
    check_flag("align_corners", align_corners)
    check_rank("theta", theta, 3)
    check_rank("size", size, 1)
    count = size.size
    require(4 <= count <= 5, f"size has {counted(count, 'value')}, expected 4 or 5")
    axes = count - 2
    require(
        theta.shape[1] == axes,
        f"theta.shape[1] is {theta.shape[1]}, expected {axes} "
        "(the number of values in size less 2)",
    )
    require(
        theta.shape[2] == axes + 1,
        f"theta.shape[2] is {theta.shape[2]}, expected {axes + 1} "
        "(the number of values in size less 1)",
    )
    for i in range(count):
        require(size.values[i] >= 0, f"size[{i}] is {size.values[i]}, expected at least 0")
    require(
        size.values[0] == theta.shape[0],
        f"size[0] is {size.values[0]}, expected {theta.shape[0]} (theta.shape[0])",
    )
    dims = [theta.shape[0]]
    for i in range(count):
        if i >= 2:
            dims.append(size.values[i])
    dims.append(axes)
    output(grid=dims)
    plan(align=align_corners == 1)
