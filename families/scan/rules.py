"""The rule of CumSum and CumProd: the output has the shape of x."""

from _shared.axes import input_axis
from _shared.values import check_flag, check_one

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(x: Tensor, axis: Tensor, *, exclusive: int = 0, reverse: int = 0) -> None:
    """The axis is one number."""
    check_flag("exclusive", exclusive)
    check_flag("reverse", reverse)
    check_one("axis", axis)
    plan(
        axis=input_axis("axis", axis.values[0], x.rank, True),
        exclusive=exclusive == 1,
        reverse=reverse == 1,
    )
    output(y=x.shape)
