"""Calls of FusedGemm: matrices transposed or not, every shape of C, every activation."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer

NUMBERS = {
    "Celu": ("alpha",),
    "Elu": ("alpha",),
    "HardSigmoid": ("alpha", "beta"),
    "LeakyRelu": ("alpha",),
    "ParametricSoftplus": ("alpha", "beta"),
    "Relu": (),
    "ScaledTanh": ("alpha", "beta"),
    "Selu": ("alpha", "gamma"),
    "Sigmoid": (),
    "Softplus": (),
    "Softsign": (),
    "Tanh": (),
    "ThresholdedRelu": ("alpha",),
}
"""The activations, and the parameters of each."""
MAX_PRODUCTS = 3000
"""About how many multiplications a call may cost the oracle."""
TYPES = ("float", "float", "float", "float16", "double")


def side(draw: Draw) -> int:
    """The size of an axis: small, 0 now and then, or beyond a tile of the kernels."""
    if happens(draw, 6):
        return 0
    return integer(draw, 1, 5) if happens(draw, 70) else integer(draw, 6, 40)


def legal(draw: Draw) -> Call:
    """Parameters of an activation are small, so that it does not enlarge an error of a sum."""
    m, k, n = side(draw), side(draw), side(draw)
    while m * k * n > MAX_PRODUCTS:
        m, k, n = m // 2 + 1, k // 2 + 1, n // 2 + 1
    flip_a, flip_b = happens(draw, 40), happens(draw, 40)
    third = choice(draw, (None, (m, n), (n,), (1, n), (m, 1), (1, 1), (1,), ()))
    name = choice(draw, tuple(NUMBERS))
    numbers = {f"activation_{word}": choice(draw, (0.5, 0.25, 1.0)) for word in NUMBERS[name]}
    if name == "ThresholdedRelu":  # elsewhere a sum near the threshold may be either
        numbers = {"activation_alpha": 0.0}
    return Call(
        {
            "A": (k, m) if flip_a else (m, k),
            "B": (n, k) if flip_b else (k, n),
            "C": third,
        },
        {"activation": name, **numbers},
        {"T": choice(draw, TYPES)},
    ).but(
        alpha=choice(draw, (0.5, -1.0, 1.0, 0.0)) if happens(draw, 40) else None,
        beta=choice(draw, (0.5, -1.0, 1.0, 0.0)) if happens(draw, 40) else None,
        transA=choice(draw, (1, 1, 2, -1)) if flip_a else choice(draw, (None, 0)),
        transB=choice(draw, (1, 1, 2, -1)) if flip_b else choice(draw, (None, 0)),
    )


def illegal(draw: Draw) -> Illegal:
    """An activation without its name or a parameter, or sizes that do not fit."""
    call = Call({"A": (2, 3), "B": (3, 4), "C": (2, 4)}, {"activation": "Relu"}, {"T": "float"})
    wrong = choice(draw, ("absent", "word", "number", "rank", "summed", "C", "type"))
    if wrong == "absent":
        return Illegal(call.but(activation=None), "AttributeValueError")
    if wrong == "word":
        word = choice(draw, ("relu", "Gelu", "", "Affine", "Clip", "HardSwish"))
        return Illegal(call.but(activation=word), "AttributeValueError")
    if wrong == "number":
        name = choice(draw, tuple(name for name in NUMBERS if NUMBERS[name]))
        lacking = choice(draw, NUMBERS[name])
        numbers = {f"activation_{word}": 0.5 for word in NUMBERS[name] if word != lacking}
        return Illegal(call.but(activation=name, **numbers), "AttributeValueError")
    if wrong == "rank":
        given = {choice(draw, ("A", "B")): choice(draw, ((), (3,), (1, 2, 3)))}
        return Illegal(call.but(given), "ShapeError")
    if wrong == "summed":
        return Illegal(call.but({"B": (integer(draw, 4, 9), 4)}), "ShapeError")
    if wrong == "type":
        types = choice(draw, ("int32", "int64", "uint32", "uint64"))
        return Illegal(Call(call.inputs, call.attributes, {"T": types}), "TypeConstraintError")
    shape = choice(draw, ((3, 4), (2,), (2, 3), (4, 2), (1, 1, 1), (1, 2, 4), (2, 0)))
    return Illegal(call.but({"C": shape}), "ShapeError")
