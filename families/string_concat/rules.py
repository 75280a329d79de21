"""The rule of the family string_concat."""

from _shared.broadcast import broadcast_two

from opmill_gen.rule_language.language import Tensor, output


def rules(X: Tensor, Y: Tensor) -> None:
    """Both shapes, aligned at their ends, give that of the output."""
    output(Z=broadcast_two("X.shape", X.shape, "Y.shape", Y.shape))
