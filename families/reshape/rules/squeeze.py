"""The rule of Squeeze whose axes are an input."""

from _shared.axes import input_marks
from _shared.ones import marked_ones, without_ones
from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output


def rules(data: Tensor, axes: Tensor | None) -> None:
    """The dims without those that the axes name, or without all that are 1."""
    if axes is None:
        marks = marked_ones(data.shape)
    else:
        check_rank("axes", axes, 1)
        marks = input_marks("axes", axes.values, data.rank)
    output(squeezed=without_ones(data.shape, marks))
