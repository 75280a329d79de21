"""The rule of com.microsoft's RotaryEmbedding: tables by position, which every call states."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    input: Tensor,
    position_ids: Tensor,
    cos_cache: Tensor,
    sin_cache: Tensor,
    *,
    interleaved: int | None,
    is_packed_batching: int | None,
    num_heads: int | None,
    rotary_embedding_dim: int | None,
    scale: float | None,
) -> None:
    """Heads of rank 3 are as wide as the tables say, unless their number is given."""
    require(3 <= input.rank <= 4, f"input has rank {input.rank}, expected 3 or 4")
    check_rank("cos_cache", cos_cache, 2)
    given = 0 if num_heads is None else num_heads
    require_attribute(given >= 0, f"num_heads is {given}, expected at least 0")
    part = 0 if rotary_embedding_dim is None else rotary_embedding_dim
    require_attribute(
        part == 0 or given >= 1,
        f"num_heads is {given}, expected at least 1 (rotary_embedding_dim is {part})",
    )
    if input.rank == 4:
        heads = input.shape[1]
        length = input.shape[2]
        size = input.shape[3]
        separate = True
    else:
        width = input.shape[2]
        length = input.shape[1]
        separate = False
        if given >= 1:
            require_attribute(
                width % given == 0,
                f"num_heads is {given}, expected a divisor of {width} (input.shape[2])",
            )
            heads = given
            size = width // given
        else:
            require(
                1 <= cos_cache.shape[1] <= width,
                f"cos_cache.shape[1] is {cos_cache.shape[1]}, "
                f"expected half the size of a head (input.shape[2] is {width})",
            )
            size = 2 * max(1, min(cos_cache.shape[1], width))
            require(
                width % size == 0,
                f"input.shape[2] is {width}, "
                f"expected a multiple of {size} (twice cos_cache.shape[1])",
            )
            heads = width // size
    require(size % 2 == 0, f"size of a head is {size}, expected an even number")
    require_attribute(
        0 <= part <= size and part % 2 == 0,
        f"rotary_embedding_dim is {part}, expected an even number from 0 to {size}",
    )
    pairs = (size if part == 0 else part) // 2
    require(
        cos_cache.shape[1] == pairs,
        f"cos_cache.shape[1] is {cos_cache.shape[1]}, expected {pairs} (the pairs of a head)",
    )
    require(
        sin_cache.shape == cos_cache.shape,
        f"sin_cache.shape is {sin_cache.shape}, expected {cos_cache.shape} (cos_cache.shape)",
    )
    tokens = [input.shape[0], length]
    require(
        position_ids.shape == [1] or position_ids.shape == tokens,
        f"position_ids.shape is {position_ids.shape}, "
        f"expected [1] or {tokens} (batch and sequence of input)",
    )
    if position_ids.rank == 1:
        require(
            cos_cache.shape[0] >= length,
            f"cos_cache.shape[0] is {cos_cache.shape[0]}, "
            f"expected at least {length} (the sequence)",
        )
    else:
        require(
            cos_cache.shape[0] >= 1 or position_ids.size == 0,
            f"cos_cache.shape[0] is {cos_cache.shape[0]}, expected at least 1",
        )
    output(output=input.shape)
    plan(
        heads=heads,
        length=length,
        size=size,
        pairs=pairs,
        separate=separate,
        interleaved=interleaved is not None and interleaved != 0,
    )
