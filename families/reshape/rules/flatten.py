"""The rule of Flatten: an axis at which the shape is cut in two."""

from opmill_gen.rule_language.language import Tensor, output, require_attribute


def rules(input: Tensor, *, axis: int) -> None:
    """A matrix: the dims before the axis multiplied, and those from it on."""
    rank = input.rank
    lowest = -rank if negative_axes else 0
    require_attribute(lowest <= axis <= rank, f"axis is {axis}, expected {lowest} to {rank}")
    first = axis + rank if axis < 0 else axis
    outer = 1
    inner = 1
    for i in range(rank):
        if i < first:
            outer *= input.shape[i]
        else:
            inner *= input.shape[i]
    output(output=[outer, inner])
