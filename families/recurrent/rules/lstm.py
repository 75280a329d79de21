"""The rule of LSTM, which has a cell state beside the state."""

from _shared.recurrent import (
    activation_number,
    alpha_count_of,
    alpha_of,
    beta_count_of,
    beta_of,
    check_activation_count,
    check_gate_weights,
    check_state,
    direction_count,
    limit_of,
    sequence_shape,
    state_shape,
)

from opmill_gen.rule_language.language import Floats, Strs, Tensor, output, plan, require


def rules(
    X: Tensor,
    W: Tensor,
    R: Tensor,
    B: Tensor | None,
    sequence_lens: Tensor | None,
    initial_h: Tensor | None,
    initial_c: Tensor | None,
    P: Tensor | None,
    *,
    activation_alpha: Floats | None,
    activation_beta: Floats | None,
    activations: Strs | None,
    clip: float | None,
    direction: str,
    hidden_size: int | None,
    input_forget: int,
    layout: int = 0,
    output_sequence: int = 0,
) -> None:
    """Weights for each direction and gate, a length and two states for each sequence."""
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
    check_gate_weights(X, W, R, B, sequence_lens, hidden_size, directions, 4, layout)
    state = state_shape(X, R, directions, layout)
    check_state("initial_h", initial_h, state, "R.shape[2]", layout)
    check_state("initial_c", initial_c, state, "R.shape[2]", layout)
    if P is not None:
        peepholes = [directions, 3 * R.shape[2]]
        require(
            P.shape == peepholes,
            f"P.shape is {P.shape}, expected {peepholes} (directions, 3 * R.shape[2])",
        )
    output(Y=sequence_shape(X, R, directions, layout))
    output(Y_h=state)
    output(Y_c=state)
    plan(
        activations=numbers,
        alphas=alphas,
        backward=direction == "reverse",
        batch_first=layout == 1,
        betas=betas,
        clips=clip is not None,
        couples=input_forget != 0,
        gates=4,
        limit=limit,
        linear_before_reset=False,
    )
