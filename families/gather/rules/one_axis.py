"""The rule of Gather: the indices take the place of one axis."""

from _shared.axes import attribute_axis

from opmill_gen.rule_language.language import MAX_RANK, Tensor, output, plan, require


def rules(data: Tensor, indices: Tensor, *, axis: int = 0) -> None:
    """The axes of data before the axis, those of indices, and those of data after it."""
    along = attribute_axis("axis", axis, data.rank, True)
    rank = data.rank - 1 + indices.rank
    require(rank <= MAX_RANK, f"output has rank {rank}, expected at most {MAX_RANK}")
    result = []
    for i in range(rank):
        if i < along:
            result.append(data.shape[i])
        elif i < along + indices.rank:
            result.append(indices.shape[i - along])
        else:
            result.append(data.shape[i - indices.rank + 1])
    output(output=result)
    plan(first=along, components=1, batched=False)
