"""The rule of Pad since version 18: an input lists the axes that are padded."""

from _shared.axes import all_axes, input_axes
from _shared.padding import check_mode, check_value, padded_size
from _shared.values import check_length, check_rank

from opmill_gen.rule_language.language import Count, Ints, Tensor, output, plan


def listed(axes: Tensor | None, pads: Tensor, rank: Count) -> Ints:
    """The axes of the pads: those that the input lists, else all."""
    if axes is not None:
        check_rank("axes", axes, 1)
        named = input_axes("axes", axes.values, rank, True)
        check_length("pads", pads.size, 2 * len(named), "2 for each value of axes")
        return named
    check_length("pads", pads.size, 2 * rank, "2 for each axis of data")
    return all_axes(rank)


def rules(
    data: Tensor, pads: Tensor, constant_value: Tensor | None, axes: Tensor | None, *, mode: str
) -> None:
    """Two values for each axis that is listed: those before each, then those after each one."""
    rank = data.rank
    check_mode(mode, wrap_mode)
    check_rank("pads", pads, 1)
    check_value(constant_value)
    named = listed(axes, pads, rank)
    count = len(named)
    sizes = list(data.shape)
    begin = [0] * rank
    for i in range(count):
        axis = named[i]
        before = pads.values[i]
        after = pads.values[i + count]
        begin[axis] = before
        sizes[axis] = padded_size("pads", data.shape[axis], before, after, axis, mode)
    output(output=sizes)
    plan(mode=mode, begin=begin, value=0.0)
