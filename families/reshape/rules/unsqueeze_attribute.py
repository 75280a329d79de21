"""The rule of Unsqueeze whose axes are an attribute."""

from _shared.axes import attribute_axes
from _shared.ones import with_ones

from opmill_gen.rule_language.language import MAX_RANK, Ints, Tensor, counted, output, require


def rules(data: Tensor, *, axes: Ints) -> None:
    """The dims with a 1 at each axis of the output that is listed."""
    rank = data.rank + len(axes)
    require(
        rank <= MAX_RANK,
        f"axes has {counted(len(axes), 'value')}, expected at most {MAX_RANK - data.rank} "
        f"(the rank of the output is at most {MAX_RANK})",
    )
    named = attribute_axes("axes", axes, rank, negative_axes)
    output(expanded=with_ones(data.shape, named, [1] * rank))
