"""The rule of com.microsoft's Unique: elements of a vector in the order of their occurrence."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, bound, output, plan


def rules(x: Tensor) -> None:
    """Elements are compared as slices along the axis, so that NaNs differ."""
    check_rank("x", x, 1)
    count = x.shape[0]
    bound(y=[count])
    output(idx=[count])
    bound(counts=[count])
    plan(axis=0, flat=False, ascending=False)
