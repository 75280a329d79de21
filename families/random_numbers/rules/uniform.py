"""The rule of uniform numbers whose shape is an attribute."""

from _shared.random_numbers import bound_of, check_order, dims_of, seed_of

from opmill_gen.rule_language.language import Ints, output, plan


def rules(*, dtype: int, high: float, low: float, seed: float | None, shape: Ints) -> None:
    """Both bounds are rounded to the type."""
    key = seed_of(seed)
    begin = bound_of("low", low, dtype)
    end = bound_of("high", high, dtype)
    check_order(low, high)
    output(output=dims_of(shape))
    plan(seed=key, offset=begin, factor=end - begin, end=end)
