"""The rule of MultiHeadAttention: heads side by side, or an axis of keys and values."""

from _shared.scores import bias_steps, check_cells, mask_form
from _shared.values import check_one, check_rank

from opmill_gen.rule_language.language import (
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def head_size(query: Tensor, heads: int) -> int:
    """The size of a head of queries and keys."""
    require(query.rank == 3, f"query has rank {query.rank}, expected 3")
    width = query.shape[2]
    require(
        width >= 1 and width % max(1, heads) == 0,
        f"query.shape[2] is {width}, expected a positive multiple of {heads} (num_heads)",
    )
    return width // max(1, heads)


def fresh_keys(query: Tensor, key: Tensor, heads: int, size: int) -> int:
    """The number of new keys."""
    require(
        key.rank == 3 or key.rank == 4,
        f"key has rank {key.rank}, expected 3 or 4 (packed keys and values are not supported)",
    )
    if key.rank == 3:
        keys = [query.shape[0], key.shape[1], query.shape[2]]
        require(
            key.shape == keys,
            f"key.shape is {key.shape}, expected {keys} (the batch, the keys, query.shape[2])",
        )
        return key.shape[1]
    apart = [query.shape[0], heads, key.shape[2], size]
    require(
        key.shape == apart,
        f"key.shape is {key.shape}, expected {apart} (the batch, num_heads, the keys, "
        "the size of a head)",
    )
    return key.shape[2]


def value_size(key: Tensor, value: Tensor, heads: int, size: int) -> int:
    """The size of a head of values."""
    check_rank("value", value, key.rank)
    if value.rank == 4:
        require(
            value.shape == key.shape,
            f"value.shape is {value.shape}, expected {key.shape} (key.shape)",
        )
        return size
    width = value.shape[2]
    values = [key.shape[0], key.shape[1], width]
    require(
        value.shape == values,
        f"value.shape is {value.shape}, expected {values} (the batch, the keys of key)",
    )
    require(
        width % max(1, heads) == 0,
        f"value.shape[2] is {width}, expected a multiple of {heads} (num_heads)",
    )
    return width // max(1, heads)


def check_sums(bias: Tensor | None, width: int, value_width: int) -> None:
    """The bias of queries, keys and values, one after the other."""
    if bias is not None:
        expected = [2 * width + value_width]
        require(
            bias.shape == expected,
            f"bias.shape is {bias.shape}, expected {expected} "
            "(the widths of queries, keys and values)",
        )


def past_rows(
    past_key: Tensor | None,
    past_value: Tensor | None,
    batch: int,
    heads: int,
    size: int,
    others: int,
) -> int:
    """The rows of a head in the past; 0 where there is none."""
    rows = 0
    if past_key is not None:
        require(
            past_value is not None,
            "input 'past_value' is absent, expected a value beside past_key",
        )
        check_rank("past_key", past_key, 4)
        rows = past_key.shape[2]
        keys = [batch, heads, rows, size]
        require(
            past_key.shape == keys,
            f"past_key.shape is {past_key.shape}, expected {keys} "
            "(batch, num_heads, past length and size of a head)",
        )
        require(
            past_value.shape == keys,
            f"past_value.shape is {past_value.shape}, expected {keys} (past_key.shape)",
        )
        require(
            others == size,
            f"size of a head of values is {others}, expected {size} "
            "(that of keys; there is a past)",
        )
    else:
        require(
            past_value is None, "input 'past_key' is absent, expected a value beside past_value"
        )
    return rows


def past_keys(length: Tensor | None, rows: int, fresh: int, has_past: int) -> int:
    """The rows of the past that are keys: all, unless it is a buffer."""
    past = rows
    if length is not None:
        check_one("past_sequence_length", length)
        if has_past == 1:
            past = length.values[0]
            require(
                0 <= past <= rows - fresh,
                f"past_sequence_length is {past}, expected 0 to {rows - fresh} "
                "(the rows of past_key less the new keys)",
            )
    return past


def rules(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    bias: Tensor | None,
    key_padding_mask: Tensor | None,
    attention_bias: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    past_sequence_length: Tensor | None,
    cache_indirection: Tensor | None,
    *,
    mask_filter_value: float | None,
    num_heads: int,
    scale: float | None,
    unidirectional: int,
) -> None:
    """Attributes first, then the inputs in their order."""
    require_attribute(num_heads >= 1, f"num_heads is {num_heads}, expected at least 1")
    heads = max(1, num_heads)
    size = head_size(query, heads)
    batch = query.shape[0]
    length = query.shape[1]
    require(
        key is not None,
        "input 'key' is absent, expected a value (packed queries, keys and values "
        "are not supported)",
    )
    require(
        value is not None,
        "input 'value' is absent, expected a value (packed keys and values are not supported)",
    )
    fresh = fresh_keys(query, key, heads, size)
    others = value_size(key, value, heads, size)
    width = heads * others
    check_sums(bias, query.shape[2], width)
    rows = past_rows(past_key, past_value, batch, heads, size, others)
    past = past_keys(past_sequence_length, rows, fresh, 0 if past_key is None else 1)
    require(
        cache_indirection is None,
        "input 'cache_indirection' is given, expected none (beams are not supported)",
    )
    total = past + fresh
    form = mask_form("key_padding_mask", key_padding_mask, batch, 0)
    mask_steps = check_cells("key_padding_mask", key_padding_mask, batch, length, total)
    steps = bias_steps(attention_bias, batch, heads, length, total)
    present = max(rows, total)
    output(output=[batch, length, width])
    output(present_key=[batch, heads, present, size])
    output(present_value=[batch, heads, present, others])
    output(qk=[batch, heads, length, total])
    plan(
        apart=key.rank == 4,
        bias_steps=steps,
        causal=unidirectional == 1,
        filter=-10000.0 if mask_filter_value is None else mask_filter_value,
        form=form,
        fresh=fresh,
        heads=heads,
        length=length,
        mask_steps=mask_steps,
        past=past,
        past_rows=rows,
        present_rows=present,
        scale=0.0 if scale is None else scale,
        size=size,
        value_size=others,
    )
