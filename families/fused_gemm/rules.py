"""The rule of the family fused_gemm: that of gemm, and an activation with its parameters."""

from _shared.activations import gemm_activation, given_number
from _shared.broadcast import check_broadcasts_to
from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Tensor,
    output,
    plan,
    require,
    require_attribute,
    require_type,
)


def rules(
    A: Tensor,
    B: Tensor,
    C: Tensor | None,
    *,
    activation: str | None,
    activation_alpha: float | None,
    activation_beta: float | None,
    activation_gamma: float | None,
    alpha: float,
    beta: float,
    transA: int,
    transB: int,
) -> None:
    """The type and the activation first; then the sizes, as Gemm checks them."""
    require_type(
        A.type not in ("int32", "int64", "uint32", "uint64"),
        f"A has type {A.type}, expected a floating type (activations are of floats)",
    )
    number = -1
    name = ""
    if activation is not None:
        name = activation
        number = gemm_activation(activation)
    require_attribute(number >= 0, "activation is absent, expected the name of an activation")
    has_beta = number == 2 or number == 5 or number == 15
    has_alpha = number == 1 or number == 3 or number == 11 or number == 12 or number == 16
    needs_alpha = has_alpha or has_beta
    first = given_number("activation_alpha", activation_alpha, needs_alpha, name)
    second = given_number("activation_beta", activation_beta, has_beta, name)
    third = given_number("activation_gamma", activation_gamma, number == 16, name)
    check_rank("A", A, 2)
    check_rank("B", B, 2)
    m = A.shape[1] if transA != 0 else A.shape[0]
    k = A.shape[0] if transA != 0 else A.shape[1]
    summed = 1 if transB != 0 else 0
    n = B.shape[0] if transB != 0 else B.shape[1]
    require(
        B.shape[summed] == k,
        f"B.shape[{summed}] is {B.shape[summed]}, "
        f"expected {k} (A.shape[{0 if transA != 0 else 1}])",
    )
    shape = [m, n]
    if C is not None:
        check_broadcasts_to("C.shape", C.shape, "Y.shape", shape)
    output(Y=shape)
    plan(
        activation=number,
        activation_alpha=first,
        activation_beta=second,
        activation_gamma=third,
        alpha=alpha,
        beta=beta,
        transpose_a=transA != 0,
        transpose_b=transB != 0,
    )
