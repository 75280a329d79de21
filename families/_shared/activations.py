"""The activations of operators that apply one to their result."""

from opmill_gen.rule_language.language import Count, Floats, counted, require_attribute


def gemm_activation(name: str) -> int:
    """The number of an activation of FusedGemm, by which kernels know it."""
    number = -1
    if name == "Elu":
        number = 1
    elif name == "HardSigmoid":
        number = 2
    elif name == "LeakyRelu":
        number = 3
    elif name == "Relu":
        number = 4
    elif name == "ScaledTanh":
        number = 5
    elif name == "Sigmoid":
        number = 6
    elif name == "Softplus":
        number = 7
    elif name == "Softsign":
        number = 8
    elif name == "Tanh":
        number = 9
    elif name == "ThresholdedRelu":
        number = 11
    elif name == "Celu":
        number = 12
    elif name == "ParametricSoftplus":
        number = 15
    elif name == "Selu":
        number = 16
    require_attribute(
        number >= 0,
        f"activation is '{name}', expected one of Celu, Elu, HardSigmoid, LeakyRelu, "
        "ParametricSoftplus, Relu, ScaledTanh, Selu, Sigmoid, Softplus, Softsign, Tanh and "
        "ThresholdedRelu",
    )
    return number


def given_number(attribute: str, value: float | None, needed: bool, name: str) -> float:
    """A parameter of an activation, which has to be given where the activation has it; else 0."""
    number = 0.0
    is_given = 0
    if value is not None:
        number = value
        is_given = 1
    require_attribute(
        not needed or is_given == 1,
        f"{attribute} is absent, expected a number (activation is '{name}')",
    )
    return number


def conv_activation(name: str) -> int:
    """The number of an activation of FusedConv."""
    number = -1
    if name == "HardSigmoid":
        number = 2
    elif name == "LeakyRelu":
        number = 3
    elif name == "Relu":
        number = 4
    elif name == "Sigmoid":
        number = 6
    elif name == "Tanh":
        number = 9
    elif name == "Clip":
        number = 13
    elif name == "HardSwish":
        number = 14
    require_attribute(
        number >= 0,
        f"activation is '{name}', expected one of Clip, HardSigmoid, HardSwish, LeakyRelu, Relu, "
        "Sigmoid and Tanh",
    )
    return number


def parameter_count(values: Floats | None, number: int, name: str) -> int:
    """The number of parameters of an activation of FusedConv, all of which are required."""
    expected = 0
    if number == 3:
        expected = 1
    elif number == 2 or number == 13:
        expected = 2
    count = 0
    if values is not None:
        count = len(values)
    require_attribute(
        expected == 0 or count == expected,
        f"activation_params has {counted(count, 'value')}, expected {expected} "
        f"(activation is '{name}')",
    )
    return expected


def parameter(values: Floats | None, count: int, i: Count) -> float:
    """Parameter ``i`` of ``count``; 0 where there are fewer."""
    number = 0.0
    if values is not None and i < count and i < len(values):
        number = values[i]
    return number
