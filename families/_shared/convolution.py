"""Checks of a convolution's input, kernels and attributes."""

from _shared.windows import at_beginning, check_auto_pad, per_axis

from opmill_gen.rule_language.language import Dims, Ints, require, require_attribute


def check_kernels(
    x_name: str, x: Dims, w_name: str, w: Dims, group: int, kernel_shape: Ints | None
) -> None:
    """Ranks, channels, groups and the spatial shape of the kernels.

    ``x_name`` and its kin are what messages call a shape: ``X.shape``.
    """
    require(len(x) >= 3, f"{x_name} has {len(x)} dims, expected at least 3")
    require(len(w) == len(x), f"{w_name} has {len(w)} dims, expected {len(x)} (as {x_name})")
    require_attribute(group >= 1, f"group is {group}, expected at least 1")
    require(
        w[1] * group == x[1],
        f"{w_name}[1] is {w[1]}, expected {x_name}[1] / group, which is {x[1]} / {group}",
    )
    require_attribute(
        w[0] % max(1, group) == 0,
        f"group is {group}, expected a divisor of {w[0]} ({w_name}[0])",
    )
    for i in range(2, len(w)):
        require(w[i] >= 1, f"{w_name}[{i}] is {w[i]}, expected at least 1")
    if kernel_shape is not None:
        require_attribute(
            kernel_shape == w[2:],
            f"kernel_shape is {kernel_shape}, expected {w[2:]} ({w_name} from axis 2 on)",
        )


def padding_and_sizes(
    x: Dims,
    w: Dims,
    auto_pad: str,
    step: Ints,
    spread: Ints,
    pads: Ints | None,
    first: int,
) -> Ints:
    """For each spatial axis, what is padded at the beginning and the size of the output.

    ``first`` is the number of the first spatial axis of the output.
    """
    check_auto_pad(auto_pad, pads)
    n = max(0, len(x) - 2)
    padding = per_axis("pads", pads, 2 * n, 0, 0)
    result: list[int] = []
    for i in range(n):
        length = x[2 + i]
        stride = max(1, step[i])  # already at least 1; max() proves it to the compiler
        reach = (w[2 + i] - 1) * spread[i] + 1
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            o = (length + stride - 1) // stride
            begin = at_beginning(auto_pad, max(0, (o - 1) * stride + reach - length))
        else:
            begin = padding[i]
            o = (length + begin + padding[n + i] - reach) // stride + 1
        require(o >= 0, f"output size is {o} on axis {first + i}, expected at least 0")
        result.append(begin)
        result.append(o)
    return result
