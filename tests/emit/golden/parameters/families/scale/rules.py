"""The rule of the family scale."""

# ruff: noqa: F821  (factor is the family's parameter)

from opmill_gen.rule_language.language import Tensor, output, require


def rules(X: Tensor) -> None:
    """Any shape but that of a scalar."""
    require(X.rank > 0, f"X has rank 0, expected at least 1 (factor {factor})")
    output(Y=X.shape)
