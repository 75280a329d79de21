"""The rule of normal numbers whose shape is an attribute."""

from _shared.random_numbers import check_finite, check_scale, dims_of, seed_of

from opmill_gen.rule_language.language import Ints, Opaque, output, plan


def rules(*, dtype: Opaque, mean: float, scale: float, seed: float | None, shape: Ints) -> None:
    """The mean is finite, the standard deviation finite and not negative."""
    key = seed_of(seed)
    check_finite("mean", mean)
    check_scale(scale)
    output(output=dims_of(shape))
    plan(seed=key, offset=mean + 0.0, factor=scale, end=mean)  # no zero is negative
