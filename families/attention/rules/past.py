"""The rule of Attention: a past, no lengths of the batch entries."""

from _shared.attention import attention_sizes, check_attention_options, mask_layout, past_length

from opmill_gen.rule_language.language import Tensor, output, plan, rounded


def rules(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    attn_mask: Tensor | None,
    past_key: Tensor | None,
    past_value: Tensor | None,
    *,
    is_causal: int,
    kv_num_heads: int | None,
    q_num_heads: int | None,
    qk_matmul_output_mode: int,
    scale: float | None,
    softcap: float,
    softmax_precision: int | None,
) -> None:
    """Heads are an axis of their own, or lie side by side in the last one."""
    check_attention_options(
        is_causal,
        qk_matmul_output_mode,
        -1,
        -1,
        scale,
        softmax_precision,
    )
    sizes = attention_sizes(Q, K, V, q_num_heads, kv_num_heads, 1 if strict else 0)
    batch, heads, kv_heads, length, fresh, size, value_size, separate, group = sizes
    past = past_length(past_key, past_value, batch, kv_heads, size, value_size)
    total = past + fresh
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
        caps=cap > 0.0,
        causal=is_causal == 1,
        fresh=fresh,
        group=group,
        has_scale=scale is not None,
        kv_heads=kv_heads,
        left=-1,
        length=length,
        mask_length=mask_length,
        mask_steps=steps,
        mode=qk_matmul_output_mode,
        past=past,
        precision=softmax_precision if softmax_precision is not None else 0,
        repeats_mask=repeats == 1,
        right=-1,
        scale=scale if scale is not None else 1.0,
        separate=separate == 1,
        size=size,
        value_size=value_size,
    )
