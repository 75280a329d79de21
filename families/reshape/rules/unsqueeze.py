"""The rule of Unsqueeze whose axes are an input."""

from _shared.axes import input_axes
from _shared.ones import with_ones
from _shared.values import check_rank

from opmill_gen.rule_language.language import MAX_RANK, Tensor, counted, output, require


def rules(data: Tensor, axes: Tensor) -> None:
    """The dims with a 1 at each axis of the output that is listed."""
    if scalar_axes:
        require(axes.rank <= 1, f"axes has rank {axes.rank}, expected 0 or 1")
    else:
        check_rank("axes", axes, 1)
    listed = axes.values
    rank = data.rank + len(listed)
    require(
        rank <= MAX_RANK,
        f"axes has {counted(len(listed), 'value')}, expected at most {MAX_RANK - data.rank} "
        f"(the rank of the output is at most {MAX_RANK})",
    )
    named = input_axes("axes", listed, rank, True)
    output(expanded=with_ones(data.shape, named, [1] * rank))
