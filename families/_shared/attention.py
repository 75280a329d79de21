"""Attention: queries, keys and values that fit each other, a past, and a mask for the scores.

Sizes are the list [batch, heads of queries, heads of keys, queries, new keys, size of a head of
queries and keys, that of values, 1 where heads are an axis, heads of queries for each of keys].
"""

from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import Ints, Tensor, require, require_attribute


def check_softmax_precision(precision: int | None) -> None:
    """The number of a floating type, where it is given."""
    if precision is not None:
        require_attribute(
            precision == 1 or precision == 10 or precision == 11 or precision == 16,
            f"softmax_precision is {precision}, expected 1, 10, 11 or 16",
        )


def check_attention_options(
    is_causal: int, mode: int, left: int, right: int, scale: float | None, precision: int | None
) -> None:
    """Attributes alone."""
    check_flag("is_causal", is_causal)
    require_attribute(0 <= mode <= 3, f"qk_matmul_output_mode is {mode}, expected 0 to 3")
    require_attribute(left >= -1, f"left_window_size is {left}, expected at least -1")
    require_attribute(right >= -1, f"right_window_size is {right}, expected at least -1")
    if scale is not None:
        require_attribute(scale >= 0.0, f"scale is {scale}, expected at least 0")
    check_softmax_precision(precision)


def check_attention_ranks(Q: Tensor, K: Tensor, V: Tensor) -> None:
    """One rank, one batch."""
    require(K.rank == Q.rank, f"K has rank {K.rank}, expected {Q.rank} (the rank of Q)")
    require(V.rank == Q.rank, f"V has rank {V.rank}, expected {Q.rank} (the rank of Q)")
    batch = Q.shape[0]
    require(K.shape[0] == batch, f"K.shape[0] is {K.shape[0]}, expected {batch} (Q.shape[0])")
    require(V.shape[0] == batch, f"V.shape[0] is {V.shape[0]}, expected {batch} (Q.shape[0])")


def head_count(name: str, heads: int | None) -> int:
    """A number of heads that lie side by side in the last axis."""
    require_attribute(
        heads is not None, f"attribute '{name}' is absent, expected a value (Q has rank 3)"
    )
    require_attribute(heads >= 1, f"{name} is {heads}, expected at least 1")
    return heads


def size_of_head(name: str, heads: int, of_name: str, width: int) -> int:
    """Heads of one size."""
    require_attribute(
        heads >= 1 and width % heads == 0,
        f"{name} is {heads}, expected a divisor of {width} ({of_name}.shape[2])",
    )
    return width // heads


def check_heads(Q: Tensor, K: Tensor, V: Tensor) -> None:
    """Heads that are an axis of their own, of tensors of rank 4."""
    heads = K.shape[1]
    require(V.shape[1] == heads, f"V.shape[1] is {V.shape[1]}, expected {heads} (K.shape[1])")
    size = Q.shape[3]
    require(K.shape[3] == size, f"K.shape[3] is {K.shape[3]}, expected {size} (Q.shape[3])")


def heads_for_each(at: int, keys: int, values: int, q_heads: int, kv_heads: int) -> int:
    """Heads of queries for each head of keys; as many values as keys, which axis `at` counts."""
    require(values == keys, f"V.shape[{at}] is {values}, expected {keys} (K.shape[{at}])")
    group = 0
    if kv_heads >= 1:
        group = q_heads // kv_heads
    require(
        group * kv_heads == q_heads,
        f"number of heads of Q is {q_heads}, expected a multiple of {kv_heads} (the heads of K)",
    )
    return group


def attention_sizes(
    Q: Tensor, K: Tensor, V: Tensor, q_num_heads: int | None, kv_num_heads: int | None, refuses: int
) -> Ints:
    """Heads are an axis of their own, or lie side by side in the last one."""
    require(3 <= Q.rank <= 4, f"Q has rank {Q.rank}, expected 3 or 4")
    check_attention_ranks(Q, K, V)
    at = Q.rank - 2
    if Q.rank == 4:
        if refuses == 1:
            require_attribute(
                q_num_heads is None,
                "attribute 'q_num_heads' is given, expected none (Q has rank 4)",
            )
            require_attribute(
                kv_num_heads is None,
                "attribute 'kv_num_heads' is given, expected none (Q has rank 4)",
            )
        check_heads(Q, K, V)
        q_heads = Q.shape[1]
        kv_heads = K.shape[1]
        size = Q.shape[3]
        value_size = V.shape[3]
        separate = 1
    else:
        q_heads = head_count("q_num_heads", q_num_heads)
        kv_heads = head_count("kv_num_heads", kv_num_heads)
        size = size_of_head("q_num_heads", q_heads, "Q", Q.shape[2])
        key_size = size_of_head("kv_num_heads", kv_heads, "K", K.shape[2])
        value_size = size_of_head("kv_num_heads", kv_heads, "V", V.shape[2])
        require(
            key_size == size,
            f"size of a head of K is {key_size}, expected {size} (the size of a head of Q)",
        )
        separate = 0
    group = heads_for_each(at, K.shape[at], V.shape[at], q_heads, kv_heads)
    return [
        Q.shape[0],
        q_heads,
        kv_heads,
        Q.shape[at],
        K.shape[at],
        size,
        value_size,
        separate,
        group,
    ]


def past_length(
    past_key: Tensor | None,
    past_value: Tensor | None,
    batch: int,
    heads: int,
    size: int,
    value_size: int,
) -> int:
    """The keys before those of the call; 0 where there is no past."""
    past = 0
    if past_key is not None:
        require(
            past_value is not None,
            "input 'past_value' is absent, expected a value beside past_key",
        )
        check_rank("past_key", past_key, 4)
        past = past_key.shape[2]
        keys = [batch, heads, past, size]
        require(
            past_key.shape == keys,
            f"past_key.shape is {past_key.shape}, expected {keys} "
            "(batch, heads, past length and size of a head of K)",
        )
        values = [batch, heads, past, value_size]
        require(
            past_value.shape == values,
            f"past_value.shape is {past_value.shape}, expected {values} "
            "(batch, heads, past length and size of a head of V)",
        )
    else:
        require(
            past_value is None, "input 'past_key' is absent, expected a value beside past_value"
        )
    return past


def mask_layout(
    attn_mask: Tensor | None, batch: int, heads: int, length: int, total: int, pads: int
) -> Ints:
    """Steps of the mask along the first three axes of the scores, its number of keys, and 1 where
    one element is that of all keys."""
    scores = [batch, heads, length, total]
    layout = [0, 0, 0, total, 0]
    if attn_mask is not None:
        require(attn_mask.rank <= 4, f"attn_mask has rank {attn_mask.rank}, expected 0 to 4")
        if attn_mask.rank >= 1:
            first = 4 - attn_mask.rank
            last = attn_mask.rank - 1
            keys = attn_mask.shape[last]
            if pads == 1:
                require(
                    keys <= total,
                    f"attn_mask.shape[{last}] is {keys}, "
                    f"expected at most {total} (the number of keys)",
                )
                layout[3] = keys
            else:
                require(
                    keys == 1 or keys == total,
                    f"attn_mask.shape[{last}] is {keys}, "
                    f"expected 1 or {total} (the number of keys)",
                )
                layout[4] = 0 if keys == total else 1
            step = keys
            for k in range(last):
                i = last - 1 - k
                dim = attn_mask.shape[i]
                expected = scores[first + i]
                require(
                    dim == 1 or dim == expected,
                    f"attn_mask.shape[{i}] is {dim}, "
                    f"expected 1 or {expected} (the shape of the scores)",
                )
                if dim != 1:
                    layout[first + i] = step
                    step = step * dim
        else:
            layout[4] = 1
    return layout
