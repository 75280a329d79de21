"""The rule of ai.onnx Unique: at most as many results as elements, or positions on the axis."""

from _shared.axes import attribute_axis
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, bound, output, plan


def rules(X: Tensor, *, axis: int | None, sorted: int) -> None:
    """Without an axis, and along the only one that there is, elements are compared."""
    check_flag("sorted", sorted)
    if axis is None:
        bound(Y=[X.size])
        bound(indices=[X.size])
        output(inverse_indices=[X.size])
        bound(counts=[X.size])
        plan(axis=0, flat=True, ascending=sorted == 1)
    else:
        along = attribute_axis("axis", axis, X.rank, True)
        count = X.shape[along]
        bound(Y=X.shape)
        bound(indices=[count])
        output(inverse_indices=[count])
        bound(counts=[count])
        plan(axis=along, flat=X.rank == 1, ascending=sorted == 1)
