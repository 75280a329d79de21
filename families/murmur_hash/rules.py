"""The rule of MurmurHash3: the shape of the input, the seed as 32 bits."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, *, positive: int, seed: int) -> None:
    """`positive` gives the output's type alone."""
    output(Y=X.shape)
    plan(seed=seed % 4294967296)
