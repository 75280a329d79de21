"""The rule of GroupNormalization."""

from _shared.normalization import check_vector

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    X: Tensor,
    scale: Tensor,
    bias: Tensor,
    *,
    epsilon: float,
    num_groups: int,
    stash_type: int = 0,
) -> None:
    """The groups divide the channels; scale and bias have an element for each channel or group."""
    require(X.rank >= 2, f"X has rank {X.rank}, expected at least 2")
    require_attribute(num_groups >= 1, f"num_groups is {num_groups}, expected at least 1")
    require_attribute(
        X.shape[1] % num_groups == 0,
        f"num_groups is {num_groups}, expected a divisor of {X.shape[1]} (the channels of X)",
    )
    require_attribute(
        stash_type == 0
        or stash_type == 1
        or stash_type == 10
        or stash_type == 11
        or stash_type == 16,
        f"stash_type is {stash_type}, expected 1, 10, 11 or 16 (a floating type)",
    )
    if per_group:
        check_vector("scale", scale, num_groups, "num_groups")
        check_vector("bias", bias, num_groups, "num_groups")
    else:
        check_vector("scale", scale, X.shape[1], "the channels of X")
        check_vector("bias", bias, X.shape[1], "the channels of X")
    plan(
        groups=num_groups,
        scales=num_groups if per_group else X.shape[1],
        epsilon=epsilon,
        stash=stash_type,
    )
    output(Y=X.shape)
