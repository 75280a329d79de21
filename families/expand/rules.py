"""The rule of the family expand."""

from _shared.broadcast import broadcast_two
from _shared.values import check_rank

from opmill_gen.rule_language.language import MAX_RANK, Tensor, counted, output, require


def rules(input: Tensor, shape: Tensor) -> None:
    """Align both shapes at the last axis; of two dims one must be 1, or both the same."""
    check_rank("shape", shape, 1)
    target = shape.values
    for i in range(len(target)):
        require(
            target[i] >= 0,
            f"shape[{i}] is {target[i]}, expected at least 0 (1 keeps a dim of the input)",
        )
    require(
        len(target) <= MAX_RANK,
        f"shape has {counted(len(target), 'value')}, expected at most {MAX_RANK}",
    )
    output(output=broadcast_two("input.shape", input.shape, "shape", target))
