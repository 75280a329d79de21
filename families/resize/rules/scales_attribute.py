"""The rule of operators that take a scale for each axis from an attribute."""

from _shared.resizing import check_resize_mode, scaled_size
from _shared.values import check_length

from opmill_gen.rule_language.language import Floats, Tensor, output, plan, require_attribute


def rules(X: Tensor, *, mode: str, scales: Floats) -> None:
    """Each axis is multiplied by its scale, which enlarges it."""
    check_length("scales", len(scales), X.rank, "the rank of X")
    check_resize_mode(mode, "linear", X.type)
    dims = list(X.shape)
    factors = [1.0] * X.rank
    begins = [0.0] * X.rank
    ends = [1.0] * X.rank
    for i in range(X.rank):
        scale = scales[i]
        require_attribute(scale >= 1.0, f"scales[{i}] is {scale}, expected at least 1")
        factors[i] = scale
        dims[i] = scaled_size(i, float(X.shape[i]) * scale)
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
        mode=mode,
        nearest_mode="floor",
        transformation="asymmetric",
    )
