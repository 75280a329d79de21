"""The rule of the family non_zero."""

from opmill_gen.rule_language.language import Tensor, bound


def rules(X: Tensor) -> None:
    """A row for each axis, and a column for each element at the most."""
    bound(Y=[X.rank, X.size])
