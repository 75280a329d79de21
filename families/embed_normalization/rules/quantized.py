"""The rule of QEmbedLayerNormalization, whose tables and vectors are 8-bit integers."""

from _shared.embeddings import (
    check_has_rows,
    check_like_ids,
    check_norm,
    check_positions,
    check_table,
    check_words,
    embedded_shape,
)
from _shared.quantized import check_single

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    input_ids: Tensor,
    segment_ids: Tensor | None,
    word_embedding_quant: Tensor,
    position_embedding_quant: Tensor,
    segment_embedding: Tensor | None,
    gamma_quant: Tensor,
    beta_quant: Tensor,
    mask: Tensor | None,
    word_embedding_scale: Tensor,
    position_embedding_scale: Tensor,
    segment_embedding_scale: Tensor | None,
    gamma_scale: Tensor,
    beta_scale: Tensor,
    word_embedding_zero_point: Tensor,
    position_embedding_zero_point: Tensor,
    segment_embedding_zero_point: Tensor | None,
    gamma_zero_point: Tensor,
    beta_zero_point: Tensor,
    *,
    epsilon: float,
) -> None:
    """A row of each table for each word; the inputs of segments are given all or not at all."""
    check_words(input_ids, "word_embedding_quant", word_embedding_quant)
    length = word_embedding_quant.shape[1]
    check_table(
        "position_embedding_quant", position_embedding_quant, length, "word_embedding_quant"
    )
    check_positions("position_embedding_quant", position_embedding_quant, input_ids)
    if segment_ids is not None:
        check_like_ids("segment_ids", segment_ids, input_ids)
        require(
            segment_embedding is not None
            and segment_embedding_scale is not None
            and segment_embedding_zero_point is not None,
            "segment_ids is given without segment_embedding, its scale or its zero point, "
            "expected all four or none",
        )
    else:
        require(
            segment_embedding is None
            and segment_embedding_scale is None
            and segment_embedding_zero_point is None,
            "segment_ids is missing beside segment_embedding, its scale or its zero point, "
            "expected all four or none",
        )
    if segment_embedding is not None:
        check_table("segment_embedding", segment_embedding, length, "word_embedding_quant")
        check_has_rows("segment_embedding", segment_embedding, "input_ids", input_ids)
    check_norm("gamma_quant", gamma_quant, "beta_quant", beta_quant, length, epsilon)
    if mask is not None:
        check_like_ids("mask", mask, input_ids)
    check_single("word_embedding_scale.shape", word_embedding_scale.shape)
    check_single("position_embedding_scale.shape", position_embedding_scale.shape)
    check_single("gamma_scale.shape", gamma_scale.shape)
    check_single("beta_scale.shape", beta_scale.shape)
    check_single("word_embedding_zero_point.shape", word_embedding_zero_point.shape)
    check_single("position_embedding_zero_point.shape", position_embedding_zero_point.shape)
    check_single("gamma_zero_point.shape", gamma_zero_point.shape)
    check_single("beta_zero_point.shape", beta_zero_point.shape)
    if segment_embedding_scale is not None:
        check_single("segment_embedding_scale.shape", segment_embedding_scale.shape)
    if segment_embedding_zero_point is not None:
        check_single("segment_embedding_zero_point.shape", segment_embedding_zero_point.shape)
    plan(epsilon=epsilon)
    output(layernorm_out=embedded_shape(input_ids, word_embedding_quant))
    output(mask_index_out=[input_ids.shape[0]])
    output(embedding_sum=embedded_shape(input_ids, word_embedding_quant))
