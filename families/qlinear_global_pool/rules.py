"""The rule of the family qlinear_global_pool: one element for each map."""

from _shared.quantized import check_single

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    X: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor,
    *,
    channels_last: int,
) -> None:
    """Maps lie behind the axes of batch and channel, or between these."""
    require(X.rank >= 3, f"X has rank {X.rank}, expected at least 3")
    check_single("x_scale.shape", x_scale.shape)
    check_single("x_zero_point.shape", x_zero_point.shape)
    check_single("y_scale.shape", y_scale.shape)
    check_single("y_zero_point.shape", y_zero_point.shape)
    first = 1 if channels_last != 0 else 2
    result = list(X.shape)
    for i in range(X.rank - 2):
        require(
            X.shape[first + i] >= 1,
            f"X.shape[{first + i}] is {X.shape[first + i]}, expected at least 1",
        )
        result[first + i] = 1
    output(Y=result)
    plan(channels_last=channels_last != 0)
