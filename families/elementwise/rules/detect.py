"""The rule of IsInf, whose attributes select the signs."""

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, *, detect_negative: int, detect_positive: int) -> None:
    """Any tensor and any numbers, of which all but 0 are true; the output has its shape."""
    output(Y=X.shape)
    plan(negative=detect_negative != 0, positive=detect_positive != 0)
