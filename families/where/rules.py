"""The rule of the family where."""

from _shared.broadcast import broadcast_three

from opmill_gen.rule_language.language import Tensor, output


def rules(condition: Tensor, X: Tensor, Y: Tensor) -> None:
    """All three shapes, aligned at their ends, give that of the output."""
    shape = broadcast_three(
        "condition.shape", condition.shape, "X.shape", X.shape, "Y.shape", Y.shape
    )
    output(output=shape)
