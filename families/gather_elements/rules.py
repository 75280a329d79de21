"""The rule of GatherElements: the output has the shape of the indices."""

from _shared.axes import attribute_axis
from _shared.indexing import check_element_indices

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(data: Tensor, indices: Tensor, *, axis: int = 0) -> None:
    """An index for each element of the output."""
    along = attribute_axis("axis", axis, data.rank, True)
    check_element_indices(data, indices, along)
    output(output=indices.shape)
    plan(axis=along)
