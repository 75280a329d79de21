"""The rule of Squeeze whose axes are an attribute."""

from _shared.axes import attribute_marks
from _shared.ones import marked_ones, without_ones

from opmill_gen.rule_language.language import Ints, Tensor, output


def rules(data: Tensor, *, axes: Ints | None) -> None:
    """The dims without those that the axes name, or without all that are 1.

    Without axes: before version 13 the attribute is absent where its list is empty.
    """
    if axes is None or len(axes) == 0:
        marks = marked_ones(data.shape)
    else:
        marks = attribute_marks("axes", axes, data.rank, negative_axes)
    output(squeezed=without_ones(data.shape, marks))
