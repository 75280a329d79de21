"""The rule of SwiGLU: two tensors of one shape."""

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(A: Tensor, B: Tensor, *, alpha: float) -> None:
    """Nothing is broadcast; the output has the shape of both."""
    require(B.shape == A.shape, f"B.shape is {B.shape}, expected {A.shape} (A.shape)")
    output(Y=A.shape)
    plan(alpha=alpha)
