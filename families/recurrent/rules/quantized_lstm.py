"""The rule of LSTM with weights of 8-bit integers, which are stored with the gates as columns."""

from _shared.recurrent import (
    activation_number,
    alpha_count_of,
    alpha_of,
    beta_count_of,
    beta_of,
    check_activation_count,
    check_per_direction,
    check_state,
    direction_count,
    limit_of,
)
from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Floats,
    Strs,
    Tensor,
    output,
    plan,
    require,
    require_attribute,
)


def rules(
    X: Tensor,
    W: Tensor,
    R: Tensor,
    B: Tensor | None,
    sequence_lens: Tensor | None,
    initial_h: Tensor | None,
    initial_c: Tensor | None,
    P: Tensor | None,
    W_scale: Tensor,
    W_zero_point: Tensor,
    R_scale: Tensor,
    R_zero_point: Tensor,
    *,
    activation_alpha: Floats | None,
    activation_beta: Floats | None,
    activations: Strs | None,
    clip: float | None,
    direction: str,
    hidden_size: int | None,
    input_forget: int,
) -> None:
    """Weights, scales and zero points for each direction, a length and two states a sequence."""
    directions = direction_count(direction, 0)
    check_activation_count(activations, 3 * directions, direction)

    numbers: list[int] = []
    alphas: list[float] = []
    betas: list[float] = []
    alpha_count = 0
    beta_count = 0
    for i in range(3 * directions):
        number = 6 if i % 3 == 0 else 9
        if activations is not None:
            number = activation_number(i, activations[i])
        alpha = 0.0
        beta = 0.0
        if alpha_count_of(number) == 1:
            alpha = alpha_of(number, i, activation_alpha, alpha_count)
            alpha_count += 1
        if beta_count_of(number) == 1:
            beta = beta_of(number, i, activation_beta, beta_count)
            beta_count += 1
        numbers.append(number)
        alphas.append(alpha)
        betas.append(beta)

    limit = limit_of(clip)
    check_rank("X", X, 3)
    check_rank("R", R, 3)
    hidden = R.shape[1]
    if hidden_size is not None:
        require_attribute(
            hidden_size == hidden, f"hidden_size is {hidden_size}, expected {hidden} (R.shape[1])"
        )
    columns = 4 * hidden
    weights = [directions, X.shape[2], columns]
    require(
        W.shape == weights,
        f"W.shape is {W.shape}, expected {weights} (directions, X.shape[2], 4 * R.shape[1])",
    )
    weights = [directions, hidden, columns]
    require(
        R.shape == weights,
        f"R.shape is {R.shape}, expected {weights} (directions, R.shape[1], 4 * R.shape[1])",
    )
    if B is not None:
        biases = [directions, 2 * columns]
        require(
            B.shape == biases,
            f"B.shape is {B.shape}, expected {biases} (directions, 8 * R.shape[1])",
        )
    if sequence_lens is not None:
        lengths = [X.shape[1]]
        require(
            sequence_lens.shape == lengths,
            f"sequence_lens.shape is {sequence_lens.shape}, expected {lengths} (X.shape[1])",
        )
    state = [directions, X.shape[1], hidden]
    check_state("initial_h", initial_h, state, "R.shape[1]", 0)
    check_state("initial_c", initial_c, state, "R.shape[1]", 0)
    if P is not None:
        peepholes = [directions, 3 * hidden]
        require(
            P.shape == peepholes,
            f"P.shape is {P.shape}, expected {peepholes} (directions, 3 * R.shape[1])",
        )
    check_per_direction("W_scale", W_scale, directions, columns)
    check_per_direction("W_zero_point", W_zero_point, directions, columns)
    check_per_direction("R_scale", R_scale, directions, columns)
    check_per_direction("R_zero_point", R_zero_point, directions, columns)
    output(Y=[X.shape[0], directions, X.shape[1], hidden])
    output(Y_h=state)
    output(Y_c=state)
    plan(
        activations=numbers,
        alphas=alphas,
        backward=direction == "reverse",
        batch_first=False,
        betas=betas,
        clips=clip is not None,
        couples=input_forget != 0,
        gates=4,
        limit=limit,
        linear_before_reset=False,
    )
