"""The rule of ArgMax and ArgMin: one axis goes, or stays with a dim of 1."""

from _shared.axes import attribute_axis
from _shared.values import check_flag

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(data: Tensor, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0) -> None:
    """An axis of one element or more, since there is no index into an empty one."""
    at = attribute_axis("axis", axis, data.rank, True)
    check_flag("keepdims", keepdims)
    check_flag("select_last_index", select_last_index)
    require(data.shape[at] >= 1, f"data.shape[{at}] is {data.shape[at]}, expected at least 1")
    dims: list[int] = []
    for i in range(data.rank):
        if i != at:
            dims.append(data.shape[i])
        elif keepdims == 1:
            dims.append(1)
    plan(axis=at, last=select_last_index == 1)
    output(reduced=dims)
