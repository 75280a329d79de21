"""The rule of ScatterElements, and of Scatter: an update for each index."""

from _shared.axes import attribute_axis
from _shared.indexing import check_element_indices
from _shared.scatter import check_reduction

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    data: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none"
) -> None:
    """The output has the shape of data, updates that of the indices."""
    along = attribute_axis("axis", axis, data.rank, True)
    check_reduction(data, reduction, extremes)
    check_element_indices(data, indices, along)
    require(
        updates.shape == indices.shape,
        f"updates.shape is {updates.shape}, expected {indices.shape} (indices.shape)",
    )
    output(output=data.shape)
    plan(axis=along, reduction=reduction)
