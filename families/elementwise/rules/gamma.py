"""The rule of functions with the numbers `alpha` and `gamma`."""

from opmill_gen.rule_language.language import Ints, Tensor, output, plan


def rules(X: Tensor, *, alpha: float, gamma: float, consumed_inputs: Ints | None = None) -> None:
    """Any tensor and any numbers; the output has the shape of the tensor."""
    output(Y=X.shape)
    plan(alpha=alpha, gamma=gamma)
