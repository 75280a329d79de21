"""The rule of the family reduce_axes."""

from _shared.reduction import reduced_axes

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(
    data: Tensor, axes: Tensor | None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
) -> None:
    """Reduce the axes that the input names; where it names none, all of them or none."""
    require_attribute(keepdims == 0 or keepdims == 1, f"keepdims must be 0 or 1, got {keepdims}")
    require_attribute(
        noop_with_empty_axes == 0 or noop_with_empty_axes == 1,
        f"noop_with_empty_axes must be 0 or 1, got {noop_with_empty_axes}",
    )
    if axes is not None:
        require(axes.rank == 1, f"axes must be 1-D, got rank {axes.rank}")
    named = axes.values if axes is not None else data.shape[0:0]
    marks = reduced_axes(data.rank, named, -data.rank, 1 - noop_with_empty_axes)
    plan(reduces=marks)
    dims = []
    for i in range(data.rank):
        if marks[i] == 0:
            dims.append(data.shape[i])
        elif keepdims == 1:
            dims.append(1)
    output(reduced=dims)
