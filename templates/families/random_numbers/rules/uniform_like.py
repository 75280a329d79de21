"""The rule of uniform numbers in the shape of an input."""

from _shared.random_numbers import bound_of, check_order, seed_of, type_number

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(input: Tensor, *, dtype: int | None, high: float, low: float, seed: float | None) -> None:
    """Both bounds are rounded to the type."""
    number = type_number(input.type, dtype)
    key = seed_of(seed)
    begin = bound_of("low", low, number)
    end = bound_of("high", high, number)
    check_order(low, high)
    output(output=input.shape)
    plan(seed=key, offset=begin, factor=end - begin, end=end)
