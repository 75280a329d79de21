"""The rule of BiasGelu, whose bias is a vector for the last axis."""

from _shared.normalization import check_vector

from opmill_gen.rule_language.language import Tensor, output, require


def rules(A: Tensor, B: Tensor) -> None:
    """The output has the shape of A."""
    require(A.rank >= 1, "A has rank 0, expected at least 1")
    check_vector("B", B, A.shape[A.rank - 1], "the last axis of A")
    output(C=A.shape)
