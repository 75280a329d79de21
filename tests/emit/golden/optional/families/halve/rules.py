"""The rule of the family halve."""

from opmill_gen.rule_language.language import (
    Strs,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(X: Tensor, bias: Tensor | None, *, steps: int, words: Strs | None) -> None:
    """Both outputs have the shape of X."""
    require_attribute(1 <= steps <= 3, f"steps is {steps}, expected 1 to 3")
    if bias is not None:
        require(bias.rank == 0, f"bias has shape {bias.shape}, expected []")
    output(Y=X.shape)
    output(rest=X.shape)
    plan(steps=steps)
