"""The rule of EmbedLayerNormalization, whose tables are floats."""

from _shared.embeddings import (
    check_has_rows,
    check_like_ids,
    check_norm,
    check_positions,
    check_table,
    check_words,
    embedded_shape,
)
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    input_ids: Tensor,
    segment_ids: Tensor | None,
    word_embedding: Tensor,
    position_embedding: Tensor,
    segment_embedding: Tensor | None,
    gamma: Tensor,
    beta: Tensor,
    mask: Tensor | None,
    position_ids: Tensor | None,
    *,
    epsilon: float,
    mask_index_type: int | None,
) -> None:
    """A row of each table for each word; the type of the mask's index changes nothing."""
    check_words(input_ids, "word_embedding", word_embedding)
    length = word_embedding.shape[1]
    check_table("position_embedding", position_embedding, length, "word_embedding")
    if segment_ids is not None:
        check_like_ids("segment_ids", segment_ids, input_ids)
        require(segment_embedding is not None, "segment_embedding is missing, expected a table")
    if segment_embedding is not None:
        check_table("segment_embedding", segment_embedding, length, "word_embedding")
        require(
            segment_embedding.shape[0] >= 1,
            f"segment_embedding.shape[0] is {segment_embedding.shape[0]}, expected at least 1",
        )
    check_norm("gamma", gamma, "beta", beta, length, epsilon)
    if mask is not None:
        check_like_ids("mask", mask, input_ids)
    if position_ids is None:
        check_positions("position_embedding", position_embedding, input_ids)
    else:
        check_rank("position_ids", position_ids, 2)
        check_has_rows("position_embedding", position_embedding, "position_ids", position_ids)
        require(
            position_ids.shape[0] == 1 or position_ids.shape[0] == input_ids.shape[0],
            f"position_ids.shape[0] is {position_ids.shape[0]}, "
            f"expected 1 or {input_ids.shape[0]} (input_ids.shape[0])",
        )
        require(
            position_ids.shape[1] == input_ids.shape[1],
            f"position_ids.shape[1] is {position_ids.shape[1]}, "
            f"expected {input_ids.shape[1]} (input_ids.shape[1])",
        )
    plan(epsilon=epsilon)
    output(output=embedded_shape(input_ids, word_embedding))
    output(mask_index=[input_ids.shape[0]])
    output(embedding_sum=embedded_shape(input_ids, word_embedding))
