"""The rule of version 1: the steps are an attribute, and there is no bias."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, *, steps: int) -> None:
    """The output has the shape of X."""
    output(Y=X.shape)
    plan(steps=steps)
