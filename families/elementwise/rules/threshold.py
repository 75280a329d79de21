"""The rule of functions with the number `threshold`."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, *, threshold: float) -> None:
    """Any tensor and any number; the output has the shape of the tensor."""
    output(Y=X.shape)
    plan(threshold=threshold)
