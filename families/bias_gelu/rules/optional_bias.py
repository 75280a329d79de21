"""The rule of FastGelu, which may have a bias for the last axis."""

from _shared.normalization import check_vector

from opmill_gen.rule_language.language import Tensor, output, require


def rules(X: Tensor, bias: Tensor | None) -> None:
    """The output has the shape of X."""
    require(X.rank >= 1, "X has rank 0, expected at least 1")
    if bias is not None:
        check_vector("bias", bias, X.shape[X.rank - 1], "the last axis of X")
    output(Y=X.shape)
