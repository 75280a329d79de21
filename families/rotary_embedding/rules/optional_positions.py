"""The rule of ai.onnx RotaryEmbedding: tables with a value for each pair of a head."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    X: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    position_ids: Tensor | None,
    *,
    interleaved: int,
    num_heads: int | None,
    rotary_embedding_dim: int,
) -> None:
    """Heads of X are an axis of their own, or lie side by side in the last one."""
    require(3 <= X.rank <= 4, f"X has rank {X.rank}, expected 3 or 4")
    if X.rank == 4:
        heads = X.shape[1]
        length = X.shape[2]
        size = X.shape[3]
        separate = True
    else:
        require_attribute(
            num_heads is not None,
            "attribute 'num_heads' is absent, expected a value (X has rank 3)",
        )
        require_attribute(num_heads >= 1, f"num_heads is {num_heads}, expected at least 1")
        require_attribute(
            X.shape[2] % num_heads == 0,
            f"num_heads is {num_heads}, expected a divisor of {X.shape[2]} (X.shape[2])",
        )
        heads = num_heads
        length = X.shape[1]
        size = X.shape[2] // num_heads
        separate = False
    require(size % 2 == 0, f"size of a head is {size}, expected an even number")
    require_attribute(
        0 <= rotary_embedding_dim <= size and rotary_embedding_dim % 2 == 0,
        f"rotary_embedding_dim is {rotary_embedding_dim}, expected an even number from 0 to {size}",
    )
    rotated = size if rotary_embedding_dim == 0 else rotary_embedding_dim
    pairs = rotated // 2
    if position_ids is not None:
        check_rank("cos_cache", cos_cache, 2)
        check_rank("position_ids", position_ids, 2)
        tokens = [X.shape[0], length]
        require(
            position_ids.shape == tokens,
            f"position_ids.shape is {position_ids.shape}, "
            f"expected {tokens} (batch and sequence of X)",
        )
        require(
            cos_cache.shape[0] >= 1 or position_ids.size == 0,
            f"cos_cache.shape[0] is {cos_cache.shape[0]}, expected at least 1",
        )
        require(
            cos_cache.shape[1] == pairs,
            f"cos_cache.shape[1] is {cos_cache.shape[1]}, expected {pairs} (the pairs of a head)",
        )
    else:
        table = [X.shape[0], length, pairs]
        require(
            cos_cache.shape == table,
            f"cos_cache.shape is {cos_cache.shape}, expected {table} "
            "(batch, sequence and pairs of a head)",
        )
    require(
        sin_cache.shape == cos_cache.shape,
        f"sin_cache.shape is {sin_cache.shape}, expected {cos_cache.shape} (cos_cache.shape)",
    )
    output(Y=X.shape)
    plan(
        heads=heads,
        length=length,
        size=size,
        pairs=pairs,
        separate=separate,
        interleaved=interleaved != 0,
    )
