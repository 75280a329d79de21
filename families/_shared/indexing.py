"""Shapes of indices that select single elements of data along an axis."""

from opmill_gen.rule_language.language import Tensor, require


def check_element_indices(data: Tensor, indices: Tensor, axis: int) -> None:
    """As many axes as data has, none longer but the one along which indices select."""
    require(
        indices.rank == data.rank,
        f"indices has rank {indices.rank}, expected {data.rank} (the rank of data)",
    )
    for i in range(data.rank):
        require(
            i == axis or indices.shape[i] <= data.shape[i],
            f"indices.shape[{i}] is {indices.shape[i]}, expected at most {data.shape[i]} "
            f"(data.shape[{i}])",
        )
