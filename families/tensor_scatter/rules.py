"""The rule of TensorScatter: the update is as the cache, but for its length on one axis."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    past_cache: Tensor, update: Tensor, write_indices: Tensor | None, *, axis: int, mode: str
) -> None:
    """A sequence axis after the batch axis, and a position for each entry of the batch."""
    rank = past_cache.rank
    require(rank >= 2, f"past_cache has rank {rank}, expected at least 2")
    require_attribute(
        mode in ("linear", "circular"), f"mode is '{mode}', expected 'linear' or 'circular'"
    )
    require_attribute(-rank <= axis < rank, f"axis is {axis}, expected {-rank} to {rank - 1}")
    along = axis + rank if axis < 0 else axis
    require_attribute(along > 0, f"axis is {axis}, expected an axis other than 0 (the batch)")
    require(
        update.rank == rank,
        f"update has rank {update.rank}, expected {rank} (the rank of past_cache)",
    )
    for i in range(rank):
        if i == along:
            require(
                update.shape[i] <= past_cache.shape[i],
                f"update.shape[{i}] is {update.shape[i]}, "
                f"expected at most {past_cache.shape[i]} (past_cache.shape[{i}])",
            )
        else:
            require(
                update.shape[i] == past_cache.shape[i],
                f"update.shape[{i}] is {update.shape[i]}, "
                f"expected {past_cache.shape[i]} (past_cache.shape[{i}])",
            )
    if write_indices is not None:
        check_rank("write_indices", write_indices, 1)
        require(
            write_indices.size == past_cache.shape[0],
            f"write_indices.shape[0] is {write_indices.size}, "
            f"expected {past_cache.shape[0]} (past_cache.shape[0])",
        )
    output(present_cache=past_cache.shape)
    plan(axis=along, circular=mode == "circular")
