"""Helpers of rules: axes that an attribute names."""

from opmill_gen.rule_language.language import Count, require_attribute


def axis_of(axis: int, rank: Count, negative: bool) -> int:
    """The axis, counted from the front; where it may be negative, -1 is the last one."""
    require_attribute(rank > 0, f"axis = {axis} is out of range for rank 0, which has no axes")
    least = -rank if negative else 0
    require_attribute(
        least <= axis < rank,
        f"axis = {axis} is out of range for rank {rank}, expected {least} to {rank - 1}",
    )
    return axis + rank if axis < 0 else axis
