"""The rule of SimplifiedLayerNormalization."""

from _shared.axes import attribute_axis
from _shared.normalization import check_broadcast, one_for_each_row

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(X: Tensor, scale: Tensor, *, axis: int, epsilon: float, stash_type: int) -> None:
    """The scale broadcasts to X; the deviation keeps the normalised axes as 1."""
    first = attribute_axis("axis", axis, X.rank, True)
    require_attribute(stash_type == 1, f"stash_type is {stash_type}, expected 1 (float)")
    for i in range(X.rank):
        if i >= first:
            require(
                X.shape[i] >= 1, f"X.shape[{i}] is 0, expected at least 1 (an axis of the rows)"
            )
    check_broadcast("scale", scale, X)
    stash = 11  # double: no element is rounded before it is used
    plan(begin=first, epsilon=epsilon, stash=stash)
    output(Y=X.shape)
    output(inv_std_var=one_for_each_row(X, first))
