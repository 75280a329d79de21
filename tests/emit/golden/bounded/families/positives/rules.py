"""The rule of the family positives."""

from opmill_gen.rule_language.language import Tensor, bound


def rules(X: Tensor) -> None:
    """There are no more positive elements than elements."""
    bound(Y=[X.size])
