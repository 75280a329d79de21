"""Shared parts of the rules of recurrent layers: words, activations, shapes."""

from _shared.values import check_flag, check_rank

from opmill_gen.rule_language.language import (
    Floats,
    Ints,
    Strs,
    Tensor,
    counted,
    require,
    require_attribute,
    rounded,
)


def activation_number(i: int, name: str) -> int:
    """The number of an activation, by which the kernels know it."""
    number = -1
    if name in ("Affine", "affine"):
        number = 0
    elif name in ("Elu", "elu"):
        number = 1
    elif name in ("HardSigmoid", "hardsigmoid"):
        number = 2
    elif name in ("LeakyRelu", "leakyrelu"):
        number = 3
    elif name in ("Relu", "relu"):
        number = 4
    elif name in ("ScaledTanh", "scaledtanh"):
        number = 5
    elif name in ("Sigmoid", "sigmoid"):
        number = 6
    elif name in ("Softplus", "softplus"):
        number = 7
    elif name in ("Softsign", "softsign"):
        number = 8
    elif name in ("Tanh", "tanh"):
        number = 9
    elif name in ("ThresholdedRelu", "thresholdedrelu"):
        number = 10
    require_attribute(
        number >= 0,
        f"activations[{i}] is '{name}', expected one of Affine, Elu, HardSigmoid, LeakyRelu, Relu, "
        "ScaledTanh, Sigmoid, Softplus, Softsign, Tanh and ThresholdedRelu",
    )
    return number


def beta_count_of(number: int) -> int:
    """1 for an activation that has a beta, and an alpha too; else 0."""
    return 1 if number == 0 or number == 2 or number == 5 else 0


def alpha_count_of(number: int) -> int:
    """1 for an activation that has an alpha; else 0."""
    has_alpha = number == 1 or number == 3 or number == 10
    return 1 if has_alpha else beta_count_of(number)


def alpha_of(number: int, i: int, values: Floats | None, position: int) -> float:
    """The alpha of an activation: the value at a position, or that of the operator of its name."""
    alpha = 1.0
    if number == 2:
        alpha = rounded(0.2, "float")
    elif number == 3:
        alpha = rounded(0.01, "float")
    count = 0
    if values is not None:
        count = len(values)
        if position < len(values):
            alpha = values[position]
    has_default = number != 0 and number != 5
    require_attribute(
        position < count or has_default,
        f"activation_alpha has {counted(count, 'value')}, expected at least {position + 1} "
        f"(activations[{i}] has no default)",
    )
    return alpha


def beta_of(number: int, i: int, values: Floats | None, position: int) -> float:
    """The beta of an activation, as its alpha."""
    beta = 0.5
    count = 0
    if values is not None:
        count = len(values)
        if position < len(values):
            beta = values[position]
    has_default = number != 0 and number != 5
    require_attribute(
        position < count or has_default,
        f"activation_beta has {counted(count, 'value')}, expected at least {position + 1} "
        f"(activations[{i}] has no default)",
    )
    return beta


def direction_count(direction: str, misspelt: int) -> int:
    """2 where the steps go both ways, else 1."""
    known = direction in ("forward", "reverse", "bidirectional")
    is_misspelt = misspelt == 1 and direction == "foward"
    require_attribute(
        known or is_misspelt,
        f"direction is '{direction}', expected 'forward', 'reverse' or 'bidirectional'",
    )
    return 2 if direction == "bidirectional" else 1


def limit_of(clip: float | None) -> float:
    """The magnitude that arguments of activations may have; 0 for any."""
    limit = 0.0
    if clip is not None:
        require_attribute(clip > 0.0, f"clip is {clip}, expected more than 0")
        limit = clip
    return limit


def check_activation_count(activations: Strs | None, count: int, direction: str) -> None:
    """As many activations as the cell takes."""
    if activations is not None:
        require_attribute(
            len(activations) == count,
            f"activations has {counted(len(activations), 'value')}, expected {count} "
            f"(direction is {direction})",
        )


def check_gate_weights(
    X: Tensor,
    W: Tensor,
    R: Tensor,
    B: Tensor | None,
    sequence_lens: Tensor | None,
    hidden_size: int | None,
    directions: int,
    gates: int,
    layout: int,
) -> None:
    """All but the states, of which R decides the size."""
    check_flag("layout", layout)
    check_rank("X", X, 3)
    check_rank("R", R, 3)
    hidden = R.shape[2]
    if hidden_size is not None:
        require_attribute(
            hidden_size == hidden, f"hidden_size is {hidden_size}, expected {hidden} (R.shape[2])"
        )
    rows = gates * hidden
    weights = [directions, rows, X.shape[2]]
    require(
        W.shape == weights,
        f"W.shape is {W.shape}, expected {weights} (directions, {gates} * R.shape[2], X.shape[2])",
    )
    weights = [directions, rows, hidden]
    require(
        R.shape == weights,
        f"R.shape is {R.shape}, expected {weights} (directions, {gates} * R.shape[2], R.shape[2])",
    )
    if B is not None:
        biases = [directions, 2 * rows]
        require(
            B.shape == biases,
            f"B.shape is {B.shape}, expected {biases} (directions, {2 * gates} * R.shape[2])",
        )
    if sequence_lens is not None:
        lengths = [X.shape[0] if layout == 1 else X.shape[1]]
        require(
            sequence_lens.shape == lengths,
            f"sequence_lens.shape is {sequence_lens.shape}, expected {lengths} "
            f"(X.shape[{1 - layout}])",
        )


def state_shape(X: Tensor, R: Tensor, directions: int, layout: int) -> Ints:
    """The shape of a state, once the weights have been checked."""
    check_rank("X", X, 3)
    check_rank("R", R, 3)
    shape = [directions, X.shape[1], R.shape[2]]
    if layout == 1:
        shape = [X.shape[0], directions, R.shape[2]]
    return shape


def check_state(name: str, tensor: Tensor | None, shape: Ints, size: str, layout: int) -> None:
    """A state before the first step, and what states its size."""
    if tensor is not None:
        if layout == 1:
            require(
                tensor.shape == shape,
                f"{name}.shape is {tensor.shape}, expected {shape} "
                f"(X.shape[0], directions, {size})",
            )
        else:
            require(
                tensor.shape == shape,
                f"{name}.shape is {tensor.shape}, expected {shape} "
                f"(directions, X.shape[1], {size})",
            )


def check_per_direction(name: str, values: Tensor, directions: int, columns: int) -> None:
    """A scale or zero point for each direction, or for each column of its weights."""
    one = [directions]
    each = [directions, columns]
    require(
        values.shape == one or values.shape == each,
        f"{name}.shape is {values.shape}, expected {one} or {each} (directions, gates)",
    )


def sequence_shape(X: Tensor, R: Tensor, directions: int, layout: int) -> Ints:
    """The shape of the states of all steps, once the weights have been checked."""
    check_rank("X", X, 3)
    check_rank("R", R, 3)
    shape = [X.shape[0], directions, X.shape[1], R.shape[2]]
    if layout == 1:
        shape = [X.shape[0], X.shape[1], directions, R.shape[2]]
    return shape
