"""NumPy's broadcasting, for rules: shapes are aligned at their last axes."""

from opmill_gen.rule_language.language import Ints


def dim_at(shape: Ints, axis: int) -> int:
    """The dim of a shape at an axis; 1 where the axis lies before the first one."""
    return shape[axis] if axis >= 0 else 1
