"""Broadcasting as NumPy does it."""

from _shared.broadcast import broadcast_two

from opmill_gen.rule_language.language import Tensor, output, plan


def rules(X: Tensor, Y: Tensor) -> None:
    """Both shapes, aligned at their ends, give that of the output.

    The plan tells at which axis of the output the axes of Y begin.
    """
    output(Z=broadcast_two("X.shape", X.shape, "Y.shape", Y.shape))
    plan(first=max(X.rank, Y.rank) - Y.rank)
