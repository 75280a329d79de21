"""The rule of Slice since version 10: starts, ends, axes and steps are inputs."""

from _shared.axes import input_axes
from _shared.slices import slice_first, slice_length, slice_step
from _shared.values import check_length, check_rank

from opmill_gen.rule_language.language import (
    Count,
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
)


def listed(axes: Tensor | None, starts: Tensor, rank: Count) -> Ints:
    """The axes of the starts: those that the input lists, else the first ones."""
    if axes is not None:
        check_rank("axes", axes, 1)
        check_length("axes", axes.size, starts.size, "as many as starts")
        return input_axes("axes", axes.values, rank, True)
    require(
        starts.size <= rank,
        f"starts has {counted(starts.size, 'value')}, expected at most {rank} (the rank of data)",
    )
    result: list[int] = []
    for i in range(len(starts.values)):
        result.append(i)
    return result


def rules(
    data: Tensor, starts: Tensor, ends: Tensor, axes: Tensor | None, steps: Tensor | None
) -> None:
    """Along each axis that is listed, the elements from its start to its end."""
    rank = data.rank
    check_rank("starts", starts, 1)
    check_rank("ends", ends, 1)
    check_length("ends", ends.size, starts.size, "as many as starts")
    named = listed(axes, starts, rank)
    if steps is not None:
        check_rank("steps", steps, 1)
        check_length("steps", steps.size, starts.size, "as many as starts")
    dims = list(data.shape)
    first = [0] * rank
    step = [1] * rank
    for i in range(len(named)):
        axis = named[i]
        size = data.shape[axis]
        stride = 1
        if steps is not None:
            require(steps.values[i] != 0, f"steps[{i}] is 0, expected a value other than 0")
            stride = steps.values[i]
        first[axis] = slice_first(size, starts.values[i], stride)
        dims[axis] = slice_length(size, first[axis], ends.values[i], stride)
        step[axis] = slice_step(size, stride)
    output(output=dims)
    plan(first=first, step=step)
