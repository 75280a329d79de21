"""The rule of the family quantize."""

from _shared.element_types import type_number
from _shared.granularity import check_zero_point, scale_axis

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    x: Tensor,
    y_scale: Tensor,
    y_zero_point: Tensor | None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> None:
    """Scales of one of three shapes, zero points of the same, the precision of quotients."""
    if implied_axis and axis is None:
        along = scale_axis("x", x.shape, "y_scale", y_scale.shape, 1, block_size)
    else:
        along = scale_axis("x", x.shape, "y_scale", y_scale.shape, axis, block_size)
    if y_zero_point is not None:
        check_zero_point("y_zero_point", y_zero_point.shape, "y_scale", y_scale.shape)
        require_attribute(
            output_dtype == 0 or output_dtype == type_number(y_zero_point.type),
            f"output_dtype is {output_dtype}, expected 0 or "
            f"{type_number(y_zero_point.type)} (the type of y_zero_point)",
        )
    require_attribute(
        precision == 0 or precision == 1 or precision == 10 or precision == 16,
        f"precision is {precision}, expected 0, 1 (float), 10 (float16) or 16 (bfloat16)",
    )
    quotient = "float"
    if precision == 10:
        quotient = "float16"
    elif precision == 16:
        quotient = "bfloat16"
    elif precision == 0:
        if float_quotients:
            quotient = "float"
        elif y_scale.type == "float16":
            quotient = "float16"
        elif y_scale.type == "bfloat16":
            quotient = "bfloat16"
        elif y_scale.type == "int32":
            quotient = "double"
    output(y=x.shape)
    plan(axis=along, block=block_size, quotient=quotient, saturate=saturate != 0)
