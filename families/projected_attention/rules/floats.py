"""The rule of com.microsoft's Attention: columns of weights for queries, keys and values."""

from _shared.projections import check_options, check_projection, hidden_sizes, past_rows
from _shared.scores import bias_steps, check_cells, mask_form
from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Ints,
    OutputCount,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    input: Tensor,
    weights: Tensor,
    bias: Tensor | None,
    mask_index: Tensor | None,
    past: Tensor | None,
    attention_bias: Tensor | None,
    past_sequence_length: Tensor | None,
    *,
    do_rotary: int | None,
    mask_filter_value: float | None,
    num_heads: int,
    past_present_share_buffer: int | None,
    qkv_hidden_sizes: Ints | None,
    rotary_embedding_dim: int | None,
    scale: float | None,
    unidirectional: int,
    outputs: OutputCount,
) -> None:
    """Attributes first, then the inputs in their order."""
    require_attribute(num_heads >= 1, f"num_heads is {num_heads}, expected at least 1")
    check_options(do_rotary, past_present_share_buffer, past)
    heads = max(1, num_heads)
    check_rank("input", input, 3)
    sizes = hidden_sizes("weights", weights, qkv_hidden_sizes, heads)
    _, value_width, size, value_size = sizes
    check_projection("weights", weights, bias, input)
    require(
        outputs <= 1 or value_size == size,
        f"number of outputs is {outputs}, expected 1 "
        "(keys and values of unequal sizes have no present)",
    )
    batch = input.shape[0]
    length = input.shape[1]
    rows = past_rows(past, batch, heads, size, value_size)
    total = rows + length
    form = mask_form("mask_index", mask_index, batch, 1)
    mask_steps = check_cells("mask_index", mask_index, batch, length, total)
    steps = bias_steps(attention_bias, batch, heads, length, total)
    output(output=[batch, length, value_width])
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
        value_size=value_size,
        width=weights.shape[1],
    )
