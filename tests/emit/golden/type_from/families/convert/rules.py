"""The rule of the family convert."""

from opmill_gen.rule_language.language import Tensor, output


def rules(X: Tensor, *, to: int) -> None:
    """The runtime reads the type from the attribute."""
    output(Y=X.shape)
