"""The rule of uniform numbers in the shape of an input."""

from _shared.random_numbers import (
    bound_of,
    check_order,
    check_source,
    number_of_output,
    seed_of,
)

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(input: Tensor, *, dtype: int | None, high: float, low: float, seed: float | None) -> None:
    """Both bounds are rounded to the type."""
    check_source(input.type, dtype)
    number = number_of_output(input.type, dtype)
    key = seed_of(seed)
    begin = bound_of("low", low, number)
    end = bound_of("high", high, number)
    check_order(low, high)
    output(output=input.shape)
    plan(seed=key, offset=begin, factor=end - begin, end=end)
