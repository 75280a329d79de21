"""The rule of CumSum and CumProd: the output has the shape of x."""

from _shared.axes import input_axis
from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import Tensor, counted, output, plan, require


def rules(x: Tensor, axis: Tensor, *, exclusive: int = 0, reverse: int = 0) -> None:
    """The axis is a scalar."""
    check_flag("exclusive", exclusive)
    check_flag("reverse", reverse)
    check_rank("axis", axis, 0)
    values = axis.values
    require(len(values) == 1, f"axis has {counted(len(values), 'value')}, expected 1")
    plan(
        axis=input_axis("axis", values[0], x.rank, True),
        exclusive=exclusive == 1,
        reverse=reverse == 1,
    )
    output(y=x.shape)
