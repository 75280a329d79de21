"""The rule of the family array_feature_extractor: as many features as there are indices."""

from opmill_gen.rule_language.language import Tensor, output, require


def rules(X: Tensor, Y: Tensor) -> None:
    """The shape of X, of a vector as one row, with all indices as the last axis."""
    require(X.rank >= 1, "X has rank 0, expected at least 1")
    if X.rank == 1:
        output(Z=[1, Y.size])
    else:
        output(Z=X.shape[: X.rank - 1] + [Y.size])
