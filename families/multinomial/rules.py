"""The rule of Multinomial: a row of samples for each row of a matrix."""

from _shared.random_numbers import seed_of
from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Opaque,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(input: Tensor, *, dtype: Opaque, sample_size: int, seed: float | None) -> None:
    """Each row has a class or more.."""
    check_rank("input", input, 2)
    rows = input.shape[0]
    classes = input.shape[1]
    require(
        classes >= 1 or rows == 0,
        f"input.shape is {input.shape}, expected at least 1 class (axis 1)",
    )
    require_attribute(sample_size >= 1, f"sample_size is {sample_size}, expected at least 1")
    key = seed_of(seed)
    output(output=[rows, sample_size])
    plan(seed=key)
