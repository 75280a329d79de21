"""The rule of Inverse: square matrices in the last two axes."""

from opmill_gen.rule_language.language import Tensor, output, require


def rules(X: Tensor) -> None:
    """A matrix of the same size for each matrix."""
    require(X.rank >= 2, f"X has rank {X.rank}, expected at least 2")
    last = X.rank - 1
    require(
        X.shape[last] == X.shape[last - 1],
        f"X.shape[{last}] is {X.shape[last]}, expected {X.shape[last - 1]} (X.shape[{last - 1}])",
    )
    output(Y=X.shape)
