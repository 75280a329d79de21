"""The rule of the family tile."""

from opmill_gen.rule_language.language import Tensor, output, require


def rules(input: Tensor, repeats: Tensor) -> None:
    """One count for each axis of the input, each 0 or more."""
    require(repeats.rank == 1, f"repeats must be 1-D, got rank {repeats.rank}")
    counts = repeats.values
    require(
        len(counts) == input.rank,
        f"repeats has {len(counts)} values but input has rank {input.rank}",
    )
    for i in range(len(counts)):
        require(counts[i] >= 0, f"repeats[{i}] = {counts[i]} is negative")
    result = []
    for i in range(input.rank):
        result.append(input.shape[i] * counts[i])
    output(output=result)
