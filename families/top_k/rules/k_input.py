"""The rule of TopK where k is an input."""

from _shared.axes import attribute_axis
from _shared.values import check_flag, check_length, check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(X: Tensor, K: Tensor, *, axis: int = -1, largest: int = 1, sorted: int = 1) -> None:
    """At most as many elements as the axis has. They are sorted in any case."""
    at = attribute_axis("axis", axis, X.rank, True)
    check_flag("largest", largest)
    check_flag("sorted", sorted)
    check_rank("K", K, 1)
    check_length("K", K.size, 1, "the number of elements to find")
    size = X.shape[at]
    k = K.values[0]
    require(0 <= k <= size, f"K[0] is {k}, expected 0 to {size} (X.shape[{at}])")
    dims = list(X.shape)
    dims[at] = k
    plan(axis=at, largest=largest == 1)
    output(Values=dims)
    output(Indices=dims)
