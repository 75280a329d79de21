"""Calls of SVMRegressor: a few support vectors, or none."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens
from opmill_checks.estimator_calls import (
    FEATURE_TYPES,
    kernel_attributes,
    rows,
    transform,
    weights,
)


def legal(draw: Draw) -> Call:
    """Any number of features, none too."""
    type = choice(draw, FEATURE_TYPES)
    features, vectors = choice(draw, (1, 3, 0, 5)), choice(draw, (0, 1, 4))
    attributes: dict[str, Any] = {
        "coefficients": weights(draw, vectors or features),
        "rho": weights(draw, 1),
        **kernel_attributes(draw),
        **transform(draw),
    }
    if vectors:
        attributes["n_supports"] = vectors
        attributes["support_vectors"] = weights(draw, vectors * features)
    if happens(draw, 20):
        attributes["one_class"] = choice(draw, (0, 1))
    return Call({"X": rows(draw, features, type)}, attributes, {"T": f"tensor({type})"})


def illegal(draw: Draw) -> Illegal:
    """A rank, a word, or a list of another length."""
    call = legal(draw)
    values = list(call.attributes["coefficients"])
    kind = choice(draw, ("rank", "coefficients", "rho", "kernel", "class", "supports", "word"))
    if kind == "rank":
        wrong = choice(draw, ((), (1, 1, call.dims_of("X")[-1])))
        return Illegal(call.but({"X": wrong}), "ShapeError")
    changes: dict[str, Any] = {
        "coefficients": {"coefficients": choice(draw, (None, [*values, 1.0]))},
        "rho": {"rho": choice(draw, (None, [], [1.0, 2.0]))},
        "kernel": {"kernel_type": choice(draw, ("linear", "COSINE"))},
        "class": {"one_class": choice(draw, (2, -1))},
        "supports": {"n_supports": choice(draw, (-1, 9))},
        "word": {"post_transform": choice(draw, ("none", "SIGMOID", ""))},
    }[kind]
    return Illegal(call.but(**changes), "AttributeValueError")
