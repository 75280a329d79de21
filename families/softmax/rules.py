"""The rule of lines: the elements along one axis, or along an axis and all that follow it."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(input: Tensor, *, axis: int) -> None:
    """Find the axes of a line; the output has the shape of the input."""
    first = attribute_axis("axis", axis, input.rank, True)
    plan(begin=first, end=first + 1 if lines == "one_axis" else input.rank)
    output(output=input.shape)
