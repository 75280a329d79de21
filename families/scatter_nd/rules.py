"""The rule of ScatterND: a slice of updates for each row of the indices' last axis."""

from _shared.scatter import check_reduction

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(data: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> None:
    """updates has the axes of indices but the last, then those of a slice of data."""
    check_reduction(data, reduction, extremes)
    require(data.rank > 0, f"data has rank {data.rank}, expected at least 1")
    require(indices.rank > 0, f"indices has rank {indices.rank}, expected at least 1")
    last = indices.rank - 1
    components = indices.shape[last]
    require(
        components <= data.rank,
        f"indices.shape[{last}] is {components}, expected at most {data.rank} (the rank of data)",
    )
    expected = indices.shape[:last] + data.shape[components:]
    require(updates.shape == expected, f"updates.shape is {updates.shape}, expected {expected}")
    output(output=data.shape)
    plan(components=components, reduction=reduction)
