"""The rule of the family dequantize."""

from _shared.granularity import check_zero_point, scale_axis

from opmill_gen.rule_language.language import Tensor, output, plan, require_type


def rules(
    x: Tensor,
    x_scale: Tensor,
    x_zero_point: Tensor | None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: int = 0,
) -> None:
    """Scales of one of three shapes, and zero points of the same."""
    if not implied_axis:  # versions with an implied axis have no such scales
        require_type(
            x_scale.type != "float8e8m0" or output_dtype != 0,
            "x_scale has type float8e8m0, expected another type or an output_dtype",
        )
    if implied_axis and axis is None:
        along = scale_axis("x", x.shape, "x_scale", x_scale.shape, 1, block_size)
    else:
        along = scale_axis("x", x.shape, "x_scale", x_scale.shape, axis, block_size)
    if x_zero_point is not None:
        check_zero_point("x_zero_point", x_zero_point.shape, "x_scale", x_scale.shape)
    output(y=x.shape)
    plan(axis=along, block=block_size)
