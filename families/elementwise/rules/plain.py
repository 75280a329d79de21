"""The rule of functions without attributes."""

from opmill_gen.rule_language.language import Ints, Tensor, output


def rules(X: Tensor, *, consumed_inputs: Ints | None = None) -> None:
    """Any tensor; the output has its shape. The first versions' `consumed_inputs` says nothing."""
    output(Y=X.shape)
