"""The rule of the family echo."""

from opmill_gen.rule_language.language import Tensor, output, require


def rules(X: Tensor, *, note: str) -> None:
    """A scalar."""
    require(X.rank == 0, f"X has rank {X.rank}, expected 0 where note is '{note}'")
    output(Y=X.shape)
