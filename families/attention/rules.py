"""The rule of Attention: a past; in some versions lengths of the batch entries, and windows."""

from _shared.attention import attention_sizes, check_attention_options, mask_layout, past_length

from opmill_gen.rule_language.language import Tensor, output, plan, require, rounded


def rules(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    attn_mask: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    nonpad_kv_seqlen: Tensor | None = None,
    *,
    is_causal: int,
    kv_num_heads: int | None,
    left_window_size: int = -1,
    q_num_heads: int | None,
    qk_matmul_output_mode: int,
    right_window_size: int = -1,
    scale: float | None,
    softcap: float,
    softmax_precision: int | None,
) -> None:
    """Heads are an axis of their own, or lie side by side in the last one."""
    check_attention_options(
        is_causal,
        qk_matmul_output_mode,
        left_window_size,
        right_window_size,
        scale,
        softmax_precision,
    )
    sizes = attention_sizes(Q, K, V, q_num_heads, kv_num_heads, 1 if strict else 0)
    batch, heads, kv_heads, length, fresh, size, value_size, separate, group = sizes
    past = past_length(past_key, past_value, batch, kv_heads, size, value_size)
    total = past + fresh
    if nonpad_kv_seqlen is not None:
        require(
            past_key is None, "input 'nonpad_kv_seqlen' is given, expected none beside past_key"
        )
        lengths = [batch]
        require(
            nonpad_kv_seqlen.shape == lengths,
            f"nonpad_kv_seqlen.shape is {nonpad_kv_seqlen.shape}, expected {lengths} (the batch)",
        )
    layout = mask_layout(attn_mask, batch, heads, length, total, 1 if pads_mask else 0)
    if Q.rank == 4:
        output(Y=[batch, heads, length, value_size])
    else:
        output(Y=[batch, length, heads * value_size])
    output(present_key=[batch, kv_heads, total, size])
    output(present_value=[batch, kv_heads, total, value_size])
    output(qk_matmul_output=[batch, heads, length, total])
    cap = rounded(softcap, Q.type)
    by_batch, by_head, by_query, mask_length, repeats = layout
    steps = [by_batch, by_head, by_query]
    plan(
        cap=-cap if cap < 0.0 else cap,
        caps=cap != 0.0 if strict else cap > 0.0,
        causal=is_causal == 1,
        fresh=fresh,
        group=group,
        has_scale=scale is not None,
        kv_heads=kv_heads,
        left=left_window_size,
        length=length,
        mask_length=mask_length,
        mask_steps=steps,
        mode=qk_matmul_output_mode,
        past=past,
        precision=softmax_precision if softmax_precision is not None else 0,
        repeats_mask=repeats == 1,
        right=right_window_size,
        scale=scale if scale is not None else 1.0,
        separate=separate == 1,
        size=size,
        value_size=value_size,
    )
