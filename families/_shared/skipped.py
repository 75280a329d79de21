"""Checks of the terms of a sum in rules of normalisations of a sum."""

from _shared.normalization import check_vector

from opmill_gen.rule_language.language import Tensor, require, require_attribute


def check_sum(input: Tensor, skip: Tensor, gamma: Tensor, epsilon: float) -> None:
    """Rank 2 or 3; skip has the shape of input, or is one matrix for the whole batch."""
    require(2 <= input.rank <= 3, f"input has rank {input.rank}, expected 2 or 3")
    require(
        2 <= skip.rank <= input.rank,
        f"skip has rank {skip.rank}, expected 2 to {input.rank} (the rank of input)",
    )
    for i in range(skip.rank):
        axis = input.rank - skip.rank + i
        dim = input.shape[axis]
        other = 1 if skip.rank == 3 and i == 0 else dim
        require(
            skip.shape[i] == dim or skip.shape[i] == other,
            f"skip.shape[{i}] is {skip.shape[i]}, expected {dim} (input.shape[{axis}])",
        )
    length = input.shape[input.rank - 1]
    require(length >= 1, f"input.shape[{input.rank - 1}] is 0, expected at least 1")
    check_vector("gamma", gamma, length, "the last axis of input")
    require_attribute(epsilon >= 0.0, f"epsilon is {epsilon}, expected at least 0")
