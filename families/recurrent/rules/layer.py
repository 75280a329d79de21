"""The rule of RNN and GRU, which have one state, and LSTM, which has a cell state beside it."""

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

from opmill_gen.rule_language.language import (
    Floats,
    Strs,
    Tensor,
    counted,
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
    initial_c: Tensor | None = None,
    P: Tensor | None = None,
    *,
    activation_alpha: Floats | None,
    activation_beta: Floats | None,
    activations: Strs | None,
    clip: float | None,
    direction: str,
    hidden_size: int | None,
    input_forget: int = 0,
    layout: int = 0,
    linear_before_reset: int = 0,
    output_sequence: int = 0,
) -> None:
    """Weights for each direction and gate, a length and the states for each sequence."""
    directions = direction_count(direction, 1 if misspells_forward else 0)
    gates = 4 if cell == "lstm" else 3 if cell == "gru" else 1
    each = 3 if cell == "lstm" else 2 if cell == "gru" else 1
    if cell != "rnn" or directions == 2:
        check_activation_count(activations, each * directions, direction)
    elif activations is not None:
        require_attribute(
            len(activations) == 1 or len(activations) == 2,
            f"activations has {counted(len(activations), 'value')}, expected 1 or 2 "
            f"(direction is {direction})",
        )

    numbers: list[int] = []
    alphas: list[float] = []
    betas: list[float] = []
    alpha_count = 0
    beta_count = 0
    for i in range(each * directions):
        number = 6 if cell != "rnn" and i % each == 0 else 9
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
    check_gate_weights(X, W, R, B, sequence_lens, hidden_size, directions, gates, layout)
    state = state_shape(X, R, directions, layout)
    check_state("initial_h", initial_h, state, "R.shape[2]", layout)
    if cell == "lstm":
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
        gates=gates,
        limit=limit,
        linear_before_reset=linear_before_reset != 0,
    )
