"""The rule of the family compress."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Tensor, bound, plan, require


def rules(input: Tensor, condition: Tensor, *, axis: int | None) -> None:
    """At most as many slices as there are conditions, and positions on the axis."""
    rank = input.rank
    require(rank >= 1, f"input has rank {rank}, expected at least 1")
    require(condition.rank <= 1, f"condition has rank {condition.rank}, expected 0 or 1")
    if axis is None:
        bound(output=[min(input.size, condition.size)])
        plan(axis=0, flat=True, length=condition.size, size=input.size)
    else:
        along = attribute_axis("axis", axis, rank, True)
        size = input.shape[along]
        dims = list(input.shape)
        dims[along] = min(size, condition.size)
        bound(output=dims)
        plan(axis=along, flat=False, length=condition.size, size=size)
