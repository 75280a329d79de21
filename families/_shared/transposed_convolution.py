"""Checks of a transposed convolution's kernels, and the size of an axis before it is cropped."""

from opmill_gen.rule_language.language import Dims, Ints, require, require_attribute


def check_transposed(x: Dims, w: Dims, group: int, kernel_shape: Ints | None) -> None:
    """Ranks, channels, groups and the spatial shape of the kernels."""
    require(len(x) >= 3, f"X has rank {len(x)}, expected at least 3")
    require(len(w) == len(x), f"W has rank {len(w)}, expected {len(x)} (the rank of X)")
    require_attribute(group >= 1, f"group is {group}, expected at least 1")
    require_attribute(
        x[1] % max(1, group) == 0, f"group is {group}, expected a divisor of {x[1]} (X.shape[1])"
    )
    require(w[0] == x[1], f"W.shape[0] is {w[0]}, expected {x[1]} (X.shape[1])")
    for i in range(2, len(w)):
        require(w[i] >= 1, f"W.shape[{i}] is {w[i]}, expected at least 1")
    if kernel_shape is not None:
        require_attribute(
            kernel_shape == w[2:],
            f"kernel_shape is {kernel_shape}, expected {w[2:]} (W.shape from axis 2 on)",
        )


def full_size(axis: int, length: int, kernel: int, stride: int, dilation: int, extra: int) -> int:
    """The size of an axis before cropping, of which ``extra`` positions no tap may reach."""
    reach = max(stride, dilation)
    require_attribute(
        extra < reach,
        f"output_padding[{axis}] is {extra}, expected less than {reach} "
        "(the larger of stride and dilation)",
    )
    return stride * (length - 1) + extra + (kernel - 1) * dilation + 1
