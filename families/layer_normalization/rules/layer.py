"""The rule of LayerNormalization."""

from _shared.axes import attribute_axis
from _shared.normalization import check_broadcast, one_for_each_row

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    X: Tensor,
    Scale: Tensor,
    B: Tensor | None,
    *,
    axis: int,
    epsilon: float,
    stash_type: int,
) -> None:
    """Scale and bias broadcast to X; the mean and the deviation keep the normalised axes as 1."""
    first = attribute_axis("axis", axis, X.rank, True)
    require_attribute(
        stash_type == 1 or stash_type == 16,
        f"stash_type is {stash_type}, expected 1 (float) or 16 (bfloat16)",
    )
    check_broadcast("Scale", Scale, X)
    if B is not None:
        check_broadcast("B", B, X)
    plan(begin=first, epsilon=epsilon, stash=stash_type)
    output(Y=X.shape)
    output(Mean=one_for_each_row(X, first))
    output(InvStdDev=one_for_each_row(X, first))
