"""The rule of MaxUnpool: the size of the output, in which the indices count."""

from _shared.values import check_length, check_rank
from _shared.windows import check_extent, per_axis

from opmill_gen.rule_language.language import Ints, Tensor, output, require


def rules(
    X: Tensor,
    I: Tensor,
    output_shape: Tensor | None,
    *,
    kernel_shape: Ints,
    pads: Ints | None,
    strides: Ints | None,
) -> None:
    """The smallest size that a pooling of these windows takes, or a larger one on request."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    require(I.rank == X.rank, f"I has rank {I.rank}, expected {X.rank} (the rank of X)")
    for i in range(X.rank):
        require(
            I.shape[i] == X.shape[i],
            f"I.shape[{i}] is {I.shape[i]}, expected {X.shape[i]} (X.shape[{i}])",
        )
    n = X.rank - 2
    kernel = per_axis("kernel_shape", kernel_shape, n, 1, 1)
    step = per_axis("strides", strides, n, 1, 1)
    padding = per_axis("pads", pads, 2 * n, 0, 0)
    dims = list(X.shape)
    for i in range(n):
        extent = (X.shape[2 + i] - 1) * step[i] + kernel[i] - padding[i] - padding[n + i]
        check_extent(2 + i, extent)
        dims[2 + i] = extent
    if output_shape is not None:
        check_rank("output_shape", output_shape, 1)
        check_length("output_shape", output_shape.size, X.rank, "the rank of X")
        for i in range(X.rank):
            wanted = output_shape.values[i]
            require(
                wanted >= dims[i], f"output_shape[{i}] is {wanted}, expected at least {dims[i]}"
            )
            dims[i] = wanted
    output(output=dims)
