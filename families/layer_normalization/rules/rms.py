"""The rule of RMSNormalization."""

from _shared.axes import attribute_axis
from _shared.normalization import check_broadcast

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(X: Tensor, scale: Tensor, *, axis: int, epsilon: float, stash_type: int) -> None:
    """The scale broadcasts to X."""
    first = attribute_axis("axis", axis, X.rank, True)
    require_attribute(
        stash_type == 1 or stash_type == 10 or stash_type == 11 or stash_type == 16,
        f"stash_type is {stash_type}, expected 1, 10, 11 or 16 (a floating type)",
    )
    check_broadcast("scale", scale, X)
    plan(begin=first, epsilon=epsilon, stash=stash_type)
    output(Y=X.shape)
