"""Helpers of rules: axes that an attribute names."""

from opmill_gen.rule_language.language import require_attribute


def axis_of(axis: int, rank: int, negative: bool) -> int:
    """The axis, counted from the front; where it may be negative, -1 is the last one."""
    if negative:
        require_attribute(-rank <= axis < rank, f"axis {axis} out of range for rank {rank}")
        return axis + rank if axis < 0 else axis
    require_attribute(
        0 <= axis < rank, f"axis {axis} out of range for rank {rank}; it counts from 0"
    )
    return axis
