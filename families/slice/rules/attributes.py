"""The rule of Slice-1: starts, ends and axes are attributes, and every element is taken."""

from _shared.axes import attribute_axes
from _shared.slices import slice_first, slice_length

from opmill_gen.rule_language.language import (
    Count,
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require_attribute,
)


def listed(axes: Ints | None, starts: Ints, rank: Count) -> Ints:
    """The axes of the starts: those that the attribute lists, else the first ones."""
    if axes is not None:
        require_attribute(
            len(axes) == len(starts),
            f"axes has {counted(len(axes), 'value')}, expected {len(starts)} (as many as starts)",
        )
        return attribute_axes("axes", axes, rank, True)
    require_attribute(
        len(starts) <= rank,
        f"starts has {counted(len(starts), 'value')}, expected at most {rank} (the rank of data)",
    )
    result: list[int] = []
    for i in range(len(starts)):
        result.append(i)
    return result


def rules(data: Tensor, *, axes: Ints | None, ends: Ints, starts: Ints) -> None:
    """Along each axis that is listed, the elements from its start to its end."""
    rank = data.rank
    require_attribute(
        len(ends) == len(starts),
        f"ends has {counted(len(ends), 'value')}, expected {len(starts)} (as many as starts)",
    )
    named = listed(axes, starts, rank)
    dims = list(data.shape)
    first = [0] * rank
    step = [1] * rank
    for i in range(len(named)):
        axis = named[i]
        size = data.shape[axis]
        first[axis] = slice_first(size, starts[i], 1)
        dims[axis] = slice_length(size, first[axis], ends[i], 1)
    output(output=dims)
    plan(first=first, step=step)
