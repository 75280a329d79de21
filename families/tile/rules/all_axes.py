"""The rule of Tile since version 6: a count for each axis."""

from _shared.values import check_length, check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(input: Tensor, repeats: Tensor) -> None:
    """One count for each axis of the input, each 0 or more."""
    check_rank("repeats", repeats, 1)
    counts = repeats.values
    check_length("repeats", len(counts), input.rank, "the rank of input")
    for i in range(len(counts)):
        require(counts[i] >= 0, f"repeats[{i}] is {counts[i]}, expected at least 0")
    result = []
    for i in range(input.rank):
        result.append(input.shape[i] * counts[i])
    output(output=result)
    plan(repeats=counts)
