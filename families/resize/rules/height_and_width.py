"""The rule of Upsample before version 7: images, with a scale for each of their two axes."""

from _shared.resizing import check_resize_mode, scaled_size
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(X: Tensor, *, height_scale: float, mode: str, width_scale: float) -> None:
    """The height and the width are multiplied by their scales."""
    check_rank("X", X, 4)
    check_resize_mode(mode, "bilinear", X.type)
    require_attribute(height_scale >= 1.0, f"height_scale is {height_scale}, expected at least 1")
    require_attribute(width_scale >= 1.0, f"width_scale is {width_scale}, expected at least 1")
    height = float(X.shape[2]) * height_scale
    width = float(X.shape[3]) * width_scale
    dims = [X.shape[0], X.shape[1], 0, 0]
    dims[2] = scaled_size(2, height)
    dims[3] = scaled_size(3, width)
    factors = [1.0, 1.0, height_scale, width_scale]
    begins = [0.0] * 4
    ends = [1.0] * 4
    output(Y=dims)
    plan(
        antialias=False,
        begins=begins,
        by_sizes=False,
        cubic_a=0.0,
        ends=ends,
        exclude_outside=False,
        extrapolation=0.0,
        factors=factors,
        mode="nearest" if mode == "nearest" else "linear",
        nearest_mode="floor",
        transformation="asymmetric",
    )
