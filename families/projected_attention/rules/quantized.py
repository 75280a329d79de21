"""The rule of QAttention: tokens and weights are 8-bit integers, with scales and zero points."""

from _shared.projections import check_options, check_projection, past_rows, third_of
from _shared.quantized import check_per_column, check_single
from _shared.scores import check_cells, mask_form
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    input: Tensor,
    weight: Tensor,
    bias: Tensor,
    input_scale: Tensor,
    weight_scale: Tensor,
    mask_index: Tensor | None,
    input_zero_point: Tensor | None,
    weight_zero_point: Tensor | None,
    past: Tensor | None,
    *,
    do_rotary: int | None,
    mask_filter_value: float | None,
    num_heads: int,
    past_present_share_buffer: int | None,
    scale: float | None,
    unidirectional: int,
) -> None:
    """Attributes first, then the inputs in their order."""
    require_attribute(num_heads >= 1, f"num_heads is {num_heads}, expected at least 1")
    check_options(do_rotary, past_present_share_buffer, past)
    heads = max(1, num_heads)
    check_rank("input", input, 3)
    check_rank("weight", weight, 2)
    width = third_of("weight", weight.shape[1], heads)
    size = width // heads
    check_projection("weight", weight, bias, input)
    check_single("input_scale.shape", input_scale.shape)
    check_per_column("weight_scale.shape", weight_scale.shape, "weight.shape", weight.shape)
    if input_zero_point is not None:
        check_single("input_zero_point.shape", input_zero_point.shape)
    if weight_zero_point is not None:
        check_per_column(
            "weight_zero_point.shape", weight_zero_point.shape, "weight.shape", weight.shape
        )
    batch = input.shape[0]
    length = input.shape[1]
    rows = past_rows(past, batch, heads, size, size)
    total = rows + length
    form = mask_form("mask_index", mask_index, batch, 1)
    steps = [0, 0, 0]  # there is no bias of scores
    mask_steps = check_cells("mask_index", mask_index, batch, length, total)
    output(output=[batch, length, width])
    output(present=[2, batch, heads, total, size])
    plan(
        bias_steps=steps,
        causal=unidirectional == 1,
        filter=-10000.0 if mask_filter_value is None else mask_filter_value,
        form=form,
        heads=heads,
        length=length,
        mask_steps=mask_steps,
        past_rows=rows,
        scale=0.0 if scale is None else scale,
        size=size,
        value_size=size,
        width=weight.shape[1],
    )
