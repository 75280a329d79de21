"""The rule of normal numbers in the shape of an input."""

from _shared.random_numbers import check_finite, check_scale, check_source, seed_of

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(
    input: Tensor, *, dtype: int | None, mean: float, scale: float, seed: float | None
) -> None:
    """The mean is finite, the standard deviation finite and not negative."""
    check_source(input.type, dtype)
    key = seed_of(seed)
    check_finite("mean", mean)
    check_scale(scale)
    output(output=input.shape)
    plan(seed=key, offset=mean + 0.0, factor=scale, end=mean)  # no zero is negative
