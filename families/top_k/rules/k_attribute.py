"""The rule of TopK where k is an attribute."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(X: Tensor, *, axis: int = -1, k: int) -> None:
    """At most as many elements as the axis has."""
    at = attribute_axis("axis", axis, X.rank, True)
    size = X.shape[at]
    require_attribute(0 <= k <= size, f"k is {k}, expected 0 to {size} (X.shape[{at}])")
    dims = list(X.shape)
    dims[at] = k
    plan(axis=at, largest=True)
    output(Values=dims)
    output(Indices=dims)
