"""Broadcasting as NumPy does it: dims of 1 of either input give way, axes are lacking in front."""

from _shared.broadcast import broadcast_two

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(A: Tensor, B: Tensor) -> None:
    """Both shapes, aligned at their ends, give that of the output.

    The plan tells at which axis of the output the axes of B begin.
    """
    output(C=broadcast_two("A.shape", A.shape, "B.shape", B.shape))
    plan(first=max(A.rank, B.rank) - B.rank)
