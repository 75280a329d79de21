"""The rule of reductions whose axes are an attribute."""

from _shared.reduction import reduced_axes
from _shared.values import check_flag

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(data: Tensor, *, axes: Ints | None = None, keepdims: int = 1) -> None:
    """Reduce the axes that the attribute names, all of them where it names none."""
    check_flag("keepdims", keepdims)
    named = axes if axes is not None else data.shape[0:0]
    marks = reduced_axes(data.rank, named, 1)
    plan(reduces=marks)
    dims = []
    for i in range(data.rank):
        if marks[i] == 0:
            dims.append(data.shape[i])
        elif keepdims == 1:
            dims.append(1)
    output(reduced=dims)
