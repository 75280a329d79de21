"""What rules of reductions share: which axes are reduced."""

from opmill_gen.rule_language.language import Count, Ints, require


def reduced_axes(rank: Count, axes: Ints, least: int, every: int) -> Ints:
    """1 for each axis that is reduced, else 0; `every` for all where none is named."""
    reduced = [every if len(axes) == 0 else 0] * rank
    for i in range(len(axes)):
        axis = axes[i]
        require(
            least <= axis < rank,
            f"axes[{i}] = {axis} is out of range for rank {rank}, expected {least} to {rank - 1}",
        )
        place = axis + rank if axis < 0 else axis
        require(reduced[place] == 0, f"axes[{i}] = {axis} names an axis that is there already")
        reduced[place] = 1
    return reduced
