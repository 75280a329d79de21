"""Calls of FusedConv: those of convolutions, with every activation and a tensor that is added."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, happens, integer
from opmill_checks.quantized_convolutions import convolution, spoiled
from opmill_checks.quantized_windows import geometry

PARAMETERS = {
    "Clip": [-0.5, 1.5],
    "HardSigmoid": [0.5, 0.25],
    "HardSwish": None,
    "LeakyRelu": [0.25],
    "Relu": None,
    "Sigmoid": None,
    "Tanh": None,
}
"""The activations, and parameters of each, or none."""
TYPES = ("float", "float", "float", "float16", "double")


def legal(draw: Draw) -> Call:
    """A convolution, now and then without an activation, or with parameters that are not read."""
    return named(draw, convolution(draw))


def named(draw: Draw, call: Call) -> Call:
    """The call with the names of the inputs here, and what is added."""
    x, w = call.dims_of("x"), call.dims_of("w")
    attributes: dict[str, Any] = dict(call.attributes)
    sizes, _ = geometry(x[2:], w[2:], attributes)
    if happens(draw, 90):
        name = choice(draw, tuple(PARAMETERS))
        parameters = PARAMETERS[name]
        attributes["activation"] = name
        if parameters is not None:
            attributes["activation_params"] = parameters
        elif happens(draw, 10):
            attributes["activation_params"] = [0.5]
    return Call(
        {
            "X": x,
            "W": w,
            "B": (w[0],) if happens(draw, 50) else None,
            "Z": (x[0], w[0], *sizes) if happens(draw, 50) else None,
        },
        attributes,
        {"T": choice(draw, TYPES)},
    )


def illegal(draw: Draw) -> Illegal:
    """A fault of a convolution, of the activation or of what is added."""
    plain = convolution(draw)
    wrong = choice(draw, ("convolution", "convolution", "word", "number", "B", "Z"))
    if wrong == "convolution":
        found = spoiled(draw, plain)
        inputs = {name.upper(): given for name, given in found.call.inputs.items()}
        attributes = {**found.call.attributes, "activation": "Relu"}
        absent = dict.fromkeys(("B", "Z"))
        return Illegal(Call({**inputs, **absent}, attributes, {"T": "float"}), found.raises)
    call = named(draw, plain)
    if wrong == "word":
        word = choice(draw, ("relu", "Gelu", "", "Elu", "Softplus"))
        return Illegal(call.but(activation=word), "AttributeValueError")
    if wrong == "number":
        name = choice(draw, ("Clip", "HardSigmoid", "LeakyRelu"))
        count = len(PARAMETERS[name] or ()) + choice(draw, (1, -1))
        parameters = [0.5] * count if count > 0 else None
        changed = call.but(activation=name, activation_params=parameters)
        return Illegal(changed, "AttributeValueError")
    maps = call.dims_of("W")[0]
    if wrong == "B":
        return Illegal(call.but({"B": choice(draw, ((maps + 1,), (maps, 1), ()))}), "ShapeError")
    sizes, _ = geometry(call.dims_of("X")[2:], call.dims_of("W")[2:], call.attributes)
    shape: list[int] = [call.dims_of("X")[0], maps, *sizes]
    shape[integer(draw, 0, len(shape) - 1)] += 1
    short: Dims = tuple(shape[:-1])
    return Illegal(call.but({"Z": choice(draw, (tuple(shape), short))}), "ShapeError")
