"""The rule of reductions whose axes are an input."""

from _shared.reduction import reduced_axes
from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    data: Tensor, axes: Tensor | None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> None:
    """Reduce the axes that the input names; where it names none, all of them or none."""
    check_flag("keepdims", keepdims)
    check_flag("noop_with_empty_axes", noop_with_empty_axes)
    if axes is not None:
        check_rank("axes", axes, 1)
    named = axes.values if axes is not None else data.shape[0:0]
    marks = reduced_axes(data.rank, named, 1 - noop_with_empty_axes)
    plan(reduces=marks)
    dims = []
    for i in range(data.rank):
        if marks[i] == 0:
            dims.append(data.shape[i])
        elif keepdims == 1:
            dims.append(1)
    output(reduced=dims)
