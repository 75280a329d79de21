"""The rule of the family expand."""

from opmill_gen.rule_language.language import MAX_RANK, Tensor, output, require


def rules(input: Tensor, shape: Tensor) -> None:
    """Align both shapes at the last axis; of two dims one must be 1, or both the same."""
    require(shape.rank == 1, f"shape must be 1-D, got rank {shape.rank}")
    target = shape.values
    for i in range(len(target)):
        require(
            target[i] >= 0,
            f"shape[{i}] = {target[i]} is negative (use 1 to keep an input dimension)",
        )
    r = max(input.rank, len(target))
    require(r <= MAX_RANK, f"the output would have rank {r}, above the maximum of {MAX_RANK}")
    result = []
    for i in range(r):
        p = i - (r - input.rank)
        q = i - (r - len(target))
        a = input.shape[p] if p >= 0 else 1
        b = target[q] if q >= 0 else 1
        require(
            a == b or a == 1 or b == 1,
            f"cannot broadcast input dim {a} with shape value {b} at output axis {i}; "
            f"input {input.shape}, shape {target}",
        )
        result.append(b if a == 1 else a)
    output(output=result)
