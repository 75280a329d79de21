"""The rule of com.microsoft's ExpandDims, whose axis is one value of an input."""

from _shared.axes import input_axis
from _shared.ones import with_ones
from _shared.values import check_one

from opmill_gen.rule_language.language import MAX_RANK, Tensor, output, require


def rules(X: Tensor, axis: Tensor) -> None:
    """The dims with a 1 at the axis of the output."""
    check_one("axis", axis)
    require(X.rank < MAX_RANK, f"X has rank {X.rank}, expected at most {MAX_RANK - 1}")
    rank = X.rank + 1
    inserted = input_axis("axis", axis.values[0], rank, True)
    output(Y=with_ones(X.shape, [inserted], [1] * rank))
