"""The rule of GatherND: each row of the indices' last axis selects a slice of data."""

from opmill_gen.rule_language.language import (
    MAX_RANK,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(data: Tensor, indices: Tensor, *, batch_dims: int = 0) -> None:
    """Batch axes that both share, the other axes of indices but the last, the slice of data."""
    require(data.rank > 0, f"data has rank {data.rank}, expected at least 1")
    require(indices.rank > 0, f"indices has rank {indices.rank}, expected at least 1")
    limit = min(data.rank, indices.rank) - 1
    require_attribute(
        0 <= batch_dims <= limit, f"batch_dims is {batch_dims}, expected 0 to {limit}"
    )
    for i in range(batch_dims):
        require(
            indices.shape[i] == data.shape[i],
            f"indices.shape[{i}] is {indices.shape[i]}, expected {data.shape[i]} (data.shape[{i}])",
        )
    last = indices.rank - 1
    components = indices.shape[last]
    max_components = data.rank - batch_dims
    require(
        1 <= components <= max_components,
        f"indices.shape[{last}] is {components}, expected 1 to {max_components}",
    )
    result = indices.shape[:last] + data.shape[batch_dims + components :]
    require(len(result) <= MAX_RANK, f"output has rank {len(result)}, expected at most {MAX_RANK}")
    output(output=result)
    plan(first=batch_dims, components=components, batched=True)
