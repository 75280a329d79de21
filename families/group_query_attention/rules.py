"""The rule of GroupQueryAttention: one axis of heads side by side, a cache of keys and values."""

from _shared.scores import bias_steps
from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import (
    Ints,
    OutputCount,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
    require_type,
)


def check_options(causal: int, local_window_size: int, qk_output: int) -> None:
    """Attributes alone."""
    check_flag("causal", causal)
    require_attribute(
        local_window_size != 0, "local_window_size is 0, expected at least 1, or -1 for none"
    )
    require_attribute(
        causal == 1 or local_window_size == -1,
        f"local_window_size is {local_window_size}, expected -1 (causal is 0)",
    )
    require_attribute(0 <= qk_output <= 2, f"qk_output is {qk_output}, expected 0 to 2")


def check_cache_options(
    kv_cache_bit_width: int | None,
    k_quant_type: str,
    v_quant_type: str,
    sliding_window_cache: int,
    q_norm_weight: Tensor | None,
    k_norm_weight: Tensor | None,
) -> None:
    """Caches hold the numbers of all positions as they are."""
    require_attribute(
        k_quant_type == "NONE",
        f"k_quant_type is '{k_quant_type}', expected 'NONE' (quantized caches are not supported)",
    )
    require_attribute(
        v_quant_type == "NONE",
        f"v_quant_type is '{v_quant_type}', expected 'NONE' (quantized caches are not supported)",
    )
    bits = 0 if kv_cache_bit_width is None else kv_cache_bit_width
    require_attribute(
        bits == 0, f"kv_cache_bit_width is {bits}, expected 0 (the caches are not quantized)"
    )
    require_attribute(
        sliding_window_cache != 1,
        "sliding_window_cache is 1, expected 0 (caches of a window are not supported)",
    )
    require(
        q_norm_weight is None,
        "input 'q_norm_weight' is given, expected none (queries are not normalized)",
    )
    require(
        k_norm_weight is None,
        "input 'k_norm_weight' is given, expected none (keys are not normalized)",
    )


def head_counts(num_heads: int, kv_num_heads: int) -> Ints:
    """Heads of queries, of keys, and of queries for each head of keys."""
    require_attribute(num_heads >= 1, f"num_heads is {num_heads}, expected at least 1")
    require_attribute(kv_num_heads >= 1, f"kv_num_heads is {kv_num_heads}, expected at least 1")
    heads = max(1, kv_num_heads)
    require_attribute(
        num_heads % heads == 0,
        f"num_heads is {num_heads}, expected a multiple of {kv_num_heads} (kv_num_heads)",
    )
    return [max(1, num_heads), heads, num_heads // heads]


def head_size(
    query: Tensor, key: Tensor | None, value: Tensor | None, num_heads: int, kv_heads: int
) -> int:
    """The size of all heads, which lie side by side in the last axis."""
    require(query.rank == 3, f"query has rank {query.rank}, expected 3")
    width = query.shape[2]
    heads = max(1, num_heads)
    if key is None:
        require(value is None, "input 'value' is given, expected none (key is absent)")
        heads = heads + 2 * max(1, kv_heads)
        require(
            width % max(1, heads) == 0,
            f"query.shape[2] is {width}, expected a multiple of {heads} "
            "(the heads of queries, keys and values)",
        )
    else:
        require(value is not None, "input 'value' is absent, expected a value beside key")
        require(
            width % heads == 0,
            f"query.shape[2] is {width}, expected a multiple of {heads} (num_heads)",
        )
    size = width // max(1, heads)
    require(size % 8 == 0, f"size of a head is {size}, expected a multiple of 8")
    return size


def fresh_length(
    query: Tensor, key: Tensor | None, value: Tensor | None, heads: int, size: int
) -> int:
    """The number of new keys: as many as queries, or none."""
    length = query.shape[1]
    fresh = length
    if key is not None:
        check_rank("key", key, 3)
        if key.shape[1] == 0:
            fresh = 0
        keys = [query.shape[0], fresh, heads * size]
        require(
            key.shape == keys,
            f"key.shape is {key.shape}, expected {keys} "
            "(batch and sequence of query, heads and their size)",
        )
        if value is not None:
            require(
                value.shape == keys,
                f"value.shape is {value.shape}, expected {keys} (key.shape)",
            )
    return fresh


def past_rows(
    past_key: Tensor | None, past_value: Tensor | None, type: str, batch: int, heads: int, size: int
) -> int:
    """The rows of a head in the past; 0 where there is none."""
    rows = 0
    if past_key is not None:
        require(
            past_value is not None,
            "input 'past_value' is absent, expected a value beside past_key",
        )
        require_type(
            past_key.type == type,
            f"past_key has type {past_key.type}, expected {type} (the type of query)",
        )
        check_rank("past_key", past_key, 4)
        rows = past_key.shape[2]
        expected = [batch, heads, rows, size]
        require(
            past_key.shape == expected,
            f"past_key.shape is {past_key.shape}, expected {expected} "
            "(batch, heads, past length and size of a head)",
        )
        require(
            past_value.shape == expected,
            f"past_value.shape is {past_value.shape}, expected {expected} (past_key.shape)",
        )
    else:
        require(
            past_value is None, "input 'past_key' is absent, expected a value beside past_value"
        )
    return rows


def check_total(total: int, batch: int, length: int, fresh: int, rows: int) -> None:
    """The cache has the keys already, or is exactly so much longer than the past."""
    require(total >= 1, f"total_sequence_length is {total}, expected at least 1")
    require(
        total >= length,
        f"total_sequence_length is {total}, expected at least {length} (query.shape[1])",
    )
    if total > rows:
        require(
            total == rows + fresh,
            f"total_sequence_length is {total}, expected at most {rows} (the past length), "
            f"or {rows + fresh} (and the new keys)",
        )
    require(
        length == 1 or length == total or batch == 1,
        f"query.shape[0] is {batch}, expected 1 (several tokens follow a past)",
    )


def rotated_pairs(
    cos_cache: Tensor | None, sin_cache: Tensor | None, rotates: int, size: int, total: int
) -> int:
    """The pairs of a head that are rotated: the width of the tables."""
    pairs = 0
    if cos_cache is not None:
        require(
            sin_cache is not None,
            "input 'sin_cache' is absent, expected a value beside cos_cache",
        )
        check_rank("cos_cache", cos_cache, 2)
        require(
            sin_cache.shape == cos_cache.shape,
            f"sin_cache.shape is {sin_cache.shape}, expected {cos_cache.shape} (cos_cache.shape)",
        )
        require(
            cos_cache.shape[0] >= total,
            f"cos_cache.shape[0] is {cos_cache.shape[0]}, "
            f"expected at least {total} (total_sequence_length)",
        )
        require(
            size % 16 == 0,
            f"size of a head is {size}, expected a multiple of 16 (there is a cos_cache)",
        )
        pairs = cos_cache.shape[1]
        require(
            pairs % 8 == 0 and pairs <= size // 2,
            f"cos_cache.shape[1] is {pairs}, "
            f"expected a multiple of 8 that is at most {size // 2} (half the size of a head)",
        )
    else:
        require(sin_cache is None, "input 'cos_cache' is absent, expected a value beside sin_cache")
        require(
            rotates == 0,
            "input 'cos_cache' is absent, expected a value (do_rotary is 1)",
        )
    return pairs


def rules(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    seqlens_k: Tensor,
    total_sequence_length: Tensor,
    cos_cache: Tensor | None,
    sin_cache: Tensor | None,
    position_ids: Tensor | None,
    attention_bias: Tensor | None,
    head_sink: Tensor | None,
    k_scale: Tensor | None,
    v_scale: Tensor | None,
    q_norm_weight: Tensor | None,
    k_norm_weight: Tensor | None,
    *,
    causal: int,
    do_rotary: int | None,
    k_quant_type: str,
    kv_cache_bit_width: int | None,
    kv_num_heads: int,
    local_window_size: int,
    num_heads: int,
    qk_norm_epsilon: float,
    qk_output: int,
    rotary_interleaved: int | None,
    scale: float | None,
    sliding_window_cache: int,
    smooth_softmax: int,
    softcap: float | None,
    v_quant_type: str,
    outputs: OutputCount,
) -> None:
    """Attributes first, then the inputs in their order."""
    counts = head_counts(num_heads, kv_num_heads)
    check_options(causal, local_window_size, qk_output)
    require(
        qk_output != 0 or outputs <= 3,
        f"number of outputs is {outputs}, expected 1 to 3 (qk_output is 0)",
    )
    check_cache_options(
        kv_cache_bit_width,
        k_quant_type,
        v_quant_type,
        sliding_window_cache,
        q_norm_weight,
        k_norm_weight,
    )
    heads, kv_heads, group = counts
    size = head_size(query, key, value, heads, kv_heads)
    batch = query.shape[0]
    length = query.shape[1]
    require(length >= 1, "query.shape[1] is 0, expected at least 1")
    fresh = fresh_length(query, key, value, kv_heads, size)
    rows = past_rows(past_key, past_value, query.type, batch, kv_heads, size)
    require(
        seqlens_k.rank >= 1 and seqlens_k.size == batch,
        f"seqlens_k.shape is {seqlens_k.shape}, expected [{batch}] (the batch)",
    )
    require(
        total_sequence_length.rank <= 1 and total_sequence_length.size == 1,
        f"total_sequence_length.shape is {total_sequence_length.shape}, "
        "expected [] or [1] (one element)",
    )
    total = total_sequence_length.values[0]
    check_total(total, batch, length, fresh, rows)
    rotates = 0
    if do_rotary is not None and do_rotary == 1:
        rotates = 1
    pairs = rotated_pairs(cos_cache, sin_cache, rotates, size, total)
    if position_ids is not None:
        tokens = [batch, length]
        require(
            position_ids.shape == tokens,
            f"position_ids.shape is {position_ids.shape}, "
            f"expected {tokens} (batch and sequence of query)",
        )
    steps = bias_steps(attention_bias, batch, heads, length, total)
    if head_sink is not None:
        sinks = [heads]
        require(
            head_sink.shape == sinks,
            f"head_sink.shape is {head_sink.shape}, expected {sinks} (num_heads)",
        )
    present = [batch, kv_heads, max(rows, total), size]
    output(output=[batch, length, heads * size])
    output(present_key=present)
    output(present_value=present)
    output(output_qk=[batch, heads, length, total])
    cap = 0.0 if softcap is None else softcap
    factor = 0.0 if scale is None else scale
    plan(
        bias_steps=steps,
        cap=cap,
        causal=causal == 1,
        fresh=fresh,
        group=group,
        interleaved=rotary_interleaved is not None and rotary_interleaved == 1,
        kv_heads=kv_heads,
        length=length,
        packed=key is None,
        pairs=pairs,
        past_rows=rows,
        present_rows=max(rows, total),
        rotates=rotates == 1,
        scale=factor,
        scores=qk_output,
        size=size,
        smooth=smooth_softmax == 1,
        total=total,
        window=local_window_size,
    )
