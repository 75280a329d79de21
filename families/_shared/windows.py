"""Windows that slide along spatial axes: what the rules of convolutions and poolings share."""

from opmill_gen.rule_language.language import (
    Count,
    Dims,
    Ints,
    counted,
    require,
    require_attribute,
)


def per_axis(name: str, given: Ints | None, n: Count, default: int, min_value: int) -> Ints:
    """One value for each of n entries, `default` where the attribute is absent."""
    if given is None:
        return [default] * n
    require_attribute(len(given) == n, f"{name} has {counted(len(given), 'value')}, expected {n}")
    for i in range(len(given)):
        require_attribute(
            given[i] >= min_value, f"{name}[{i}] is {given[i]}, expected at least {min_value}"
        )
    return given


def check_padding_word(auto_pad: str) -> None:
    """One of ONNX's words for padding."""
    require_attribute(
        auto_pad in ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
        f"auto_pad is '{auto_pad}', expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'",
    )


def check_auto_pad(auto_pad: str, pads: Ints | None) -> None:
    """One of ONNX's words, and no other than NOTSET beside pads."""
    check_padding_word(auto_pad)
    require_attribute(
        pads is None or auto_pad == "NOTSET", f"auto_pad is {auto_pad}, expected NOTSET beside pads"
    )


def at_beginning(auto_pad: str, total: int) -> int:
    """The padding or crop at the beginning: the smaller half for SAME_UPPER, else the larger."""
    if auto_pad == "SAME_UPPER":
        return total // 2
    return total - total // 2


def check_extent(axis: int, extent: int) -> None:
    """An output has at least one window along every axis; ``axis`` is one of the output."""
    require(extent >= 1, f"output size is {extent} on axis {axis}, expected at least 1")


def same_size(length: int, stride: int) -> int:
    """The number of windows for SAME."""
    divisor = max(1, stride)  # already at least 1; max() proves it to the compiler
    return (length + divisor - 1) // divisor


def pooling_pads(
    x: Dims, auto_pad: str, kernel: Ints, step: Ints, spread: Ints, pads: Ints | None
) -> Ints:
    """The padding at the beginning of every spatial axis of X, then at the end of every one."""
    n = max(0, len(x) - 2)
    given = per_axis("pads", pads, 2 * n, 0, 0)
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        return given
    result = [0] * (2 * n)
    for i in range(n):
        o = same_size(x[2 + i], step[i])
        reach = (kernel[i] - 1) * spread[i] + 1
        total = max(0, (o - 1) * step[i] + reach - x[2 + i])
        result[i] = at_beginning(auto_pad, total)
        result[n + i] = total - result[i]
    return result


def pooling_size(
    x: Dims,
    auto_pad: str,
    ceil_mode: int,
    kernel: Ints,
    step: Ints,
    spread: Ints,
    padding: Ints,
    start_in_input: bool,
    first: int,
) -> Ints:
    """The number of windows along each spatial axis of X, padded as pooling_pads says.

    ``first`` is the number of the first spatial axis of the output.

    Where `start_in_input` is false, ceil_mode alone leaves out a window that would start in the
    padding at the end.
    """
    n = max(0, len(x) - 2)
    size: list[int] = []
    for i in range(n):
        length = x[2 + i]
        stride = max(1, step[i])
        before = padding[i]
        if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
            o = same_size(length, stride)
        else:
            reach = (kernel[i] - 1) * spread[i] + 1
            left = length + before + padding[n + i] - reach
            if ceil_mode == 1 and auto_pad == "NOTSET":
                o = (left + stride - 1) // stride + 1
                # The last window must start before the input ends.
                if (o - 1) * stride >= length + before:
                    o = o - 1
            else:
                o = left // stride + 1
            if start_in_input:
                o = min(o, (length + before + stride - 1) // stride)
        require(o >= 0, f"output size is {o} on axis {first + i}, expected at least 0")
        size.append(o)
    return size
