"""The rule of MaxRoiPool: a grid of bins for each region."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def rules(X: Tensor, rois: Tensor, *, pooled_shape: Ints, spatial_scale: float) -> None:
    """Regions are rows of five numbers."""
    check_rank("X", X, 4)
    check_rank("rois", rois, 2)
    require(rois.shape[1] == 5, f"rois.shape[1] is {rois.shape[1]}, expected 5")
    require_attribute(
        len(pooled_shape) == 2,
        f"pooled_shape has {counted(len(pooled_shape), 'value')}, expected 2",
    )
    for i in range(len(pooled_shape)):
        require_attribute(
            1 <= pooled_shape[i] <= 2147483647,
            f"pooled_shape[{i}] is {pooled_shape[i]}, expected 1 to 2147483647",
        )
    require(
        X.shape[0] >= 1 or rois.shape[0] == 0,
        f"X.shape[0] is {X.shape[0]}, expected at least 1",
    )
    output(Y=[rois.shape[0], X.shape[1], pooled_shape[0], pooled_shape[1]])
    plan(scale=spatial_scale)
