"""The rule of version 2: the steps are an input, which only the rule needs."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(steps: Tensor, X: Tensor, bias: Tensor | None) -> None:
    """The output has the shape of X."""
    require(steps.size == 1, f"steps has shape {steps.shape}, expected one value")
    if bias is not None:
        require(bias.size == 1, f"bias has shape {bias.shape}, expected one value")
    output(Y=X.shape)
    plan(steps=steps.values[0])
