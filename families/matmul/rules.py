"""The rule of the family matmul."""

from _shared.products import matmul_shape

from opmill_gen.rule_language.language import Tensor, output


def rules(A: Tensor, B: Tensor) -> None:
    """Ranks, the axis that is summed over, and the axes in front, which are broadcast."""
    output(Y=matmul_shape("A.shape", A.shape, "B.shape", B.shape))
