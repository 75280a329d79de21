"""The rule of com.microsoft's Attention: columns of weights for queries, keys and values."""

from _shared.scores import bias_steps, check_cells, mask_form
from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Ints,
    OutputCount,
    Positive,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_sizes(given: Ints, heads: Positive) -> None:
    """Three sizes, of which queries and keys have the same one."""
    require_attribute(
        len(given) == 3,
        f"qkv_hidden_sizes has {counted(len(given), 'value')}, expected 3",
    )
    for i in range(3):
        require_attribute(
            given[i] >= 0 and given[i] % heads == 0,
            f"qkv_hidden_sizes[{i}] is {given[i]}, expected a multiple of {heads} (num_heads)",
        )
    require_attribute(
        given[1] == given[0],
        f"qkv_hidden_sizes[1] is {given[1]}, expected {given[0]} (qkv_hidden_sizes[0])",
    )


def hidden_sizes(weights: Tensor, given: Ints | None, heads: Positive) -> Ints:
    """The columns of queries and keys, of values, and the sizes of their heads."""
    check_rank("weights", weights, 2)
    columns = weights.shape[1]
    width = 0
    others = 0
    if given is None:
        require(
            columns % max(1, 3 * heads) == 0,
            f"weights.shape[1] is {columns}, expected a multiple of {3 * heads} "
            "(the heads of queries, keys and values)",
        )
        width = columns // 3
        others = width
    else:
        check_sizes(given, heads)
        width = given[0]
        others = given[2]
        require(
            columns == 2 * width + others,
            f"weights.shape[1] is {columns}, expected {2 * width + others} "
            "(the sum of qkv_hidden_sizes)",
        )
    return [width, others, width // heads, others // heads]


def past_rows(past: Tensor | None, batch: int, heads: int, size: int, value_size: int) -> int:
    """The rows of a head in the past; 0 where there is none."""
    rows = 0
    if past is not None:
        check_rank("past", past, 5)
        rows = past.shape[3]
        expected = [2, batch, heads, rows, size]
        require(
            past.shape == expected,
            f"past.shape is {past.shape}, expected {expected} "
            "(2, batch, num_heads, past length and size of a head)",
        )
        require(
            value_size == size,
            f"size of a head of values is {value_size}, expected {size} "
            "(that of keys; there is a past)",
        )
    return rows


def check_options(do_rotary: int | None, shares: int | None, past: Tensor | None) -> None:
    """Attributes of what is not supported."""
    if do_rotary is not None:
        require_attribute(
            do_rotary != 1, "do_rotary is 1, expected 0 (rotations are not supported)"
        )
    if shares is not None and past is not None:
        require_attribute(
            shares != 1,
            "past_present_share_buffer is 1, expected 0 (buffers are not supported)",
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
    sizes = hidden_sizes(weights, qkv_hidden_sizes, heads)
    _, value_width, size, value_size = sizes
    require(
        weights.shape[0] == input.shape[2],
        f"weights.shape[0] is {weights.shape[0]}, expected {input.shape[2]} (input.shape[2])",
    )
    if bias is not None:
        columns = [weights.shape[1]]
        require(
            bias.shape == columns,
            f"bias.shape is {bias.shape}, expected {columns} (the columns of weights)",
        )
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
