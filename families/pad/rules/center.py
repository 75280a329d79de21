"""The rule of CenterCropPad: a size for each axis, and the input in its middle."""

from _shared.axes import all_axes, attribute_axes
from _shared.values import check_length, check_rank

from opmill_gen.rule_language.language import Count, Ints, Tensor, output, plan, require


def listed(axes: Ints | None, shape: Tensor, rank: Count) -> Ints:
    """The axes of the sizes: those that the attribute lists, else all."""
    if axes is not None:
        named = attribute_axes("axes", axes, rank, True)
        check_length("shape", shape.size, len(named), "as many as axes")
        return named
    check_length("shape", shape.size, rank, "the rank of input_data")
    return all_axes(rank)


def rules(input_data: Tensor, shape: Tensor, *, axes: Ints | None) -> None:
    """Half of what is added, or removed, is before the axis, rounded down."""
    rank = input_data.rank
    check_rank("shape", shape, 1)
    named = listed(axes, shape, rank)
    sizes = list(input_data.shape)
    begin = [0] * rank
    for i in range(len(named)):
        axis = named[i]
        size = input_data.shape[axis]
        wanted = shape.values[i]
        require(wanted >= 0, f"shape[{i}] is {wanted}, expected at least 0")
        begin[axis] = (wanted - size) // 2 if wanted >= size else -((size - wanted) // 2)
        sizes[axis] = wanted
    output(output_data=sizes)
    plan(mode="constant", begin=begin, value=0.0)
