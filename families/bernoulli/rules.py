"""The rule of Bernoulli: any shape."""

from _shared.random_numbers import seed_of

from opmill_gen.rule_language.language import Opaque, Tensor, output, plan


def rules(input: Tensor, *, dtype: Opaque | None, seed: float | None) -> None:
    """The kernels look at the probabilities."""
    key = seed_of(seed)
    output(output=input.shape)
    plan(seed=key)
