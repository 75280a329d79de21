"""The rule of FlexAttention: heads are an axis of their own."""

from _shared.attention import (
    check_attention_ranks,
    check_heads,
    check_softmax_precision,
    heads_for_each,
)
from _shared.values import check_rank

from opmill_gen.rule_language.language import Opaque, Tensor, dynamic, plan, require_attribute


def rules(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    *,
    prob_mod: Opaque | None,
    scale: float | None,
    score_mod: Opaque | None,
    softmax_precision: int | None,
) -> None:
    """Queries, keys and values of rank 4; the kernel checks what the graphs return."""
    if scale is not None:
        require_attribute(scale == scale, f"scale is {scale}, expected a number")
    check_softmax_precision(softmax_precision)
    check_rank("Q", Q, 4)
    check_attention_ranks(Q, K, V)
    check_heads(Q, K, V)
    plan(group=heads_for_each(2, K.shape[2], V.shape[2], Q.shape[1], K.shape[1]))
    dynamic("Y")
