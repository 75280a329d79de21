"""Calls of LinearRegressor: a few targets, with intercepts and without."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens
from opmill_checks.estimator_calls import FEATURE_TYPES, rows, transform, weights


def legal(draw: Draw) -> Call:
    """Any number of features, none too."""
    type = choice(draw, FEATURE_TYPES)
    features, targets = choice(draw, (1, 3, 0, 9)), choice(draw, (1, 2, 5))
    attributes = {"coefficients": weights(draw, features * targets), **transform(draw)}
    if targets > 1 or happens(draw, 50):
        attributes["targets"] = targets
    if happens(draw, 60):
        attributes["intercepts"] = weights(draw, targets)
    return Call({"X": rows(draw, features, type)}, attributes, {"T": f"tensor({type})"})


def illegal(draw: Draw) -> Illegal:
    """A rank, an attribute, or a list of another length."""
    call = legal(draw)
    targets = call.attributes.get("targets", 1)
    values = list(call.attributes["coefficients"])
    kind = choice(draw, ("rank", "coefficients", "absent", "intercepts", "targets", "transform"))
    if kind == "rank":
        wrong = choice(draw, ((), (1, 1, call.dims_of("X")[-1])))
        return Illegal(call.but({"X": wrong}), "ShapeError")
    changes = {
        "coefficients": {"coefficients": [*values, 1.0]},
        "absent": {"coefficients": None},
        "intercepts": {"intercepts": [0.5] * (targets + 1)},
        "targets": {"targets": choice(draw, (0, -1))},
        "transform": {"post_transform": choice(draw, ("none", "SIGMOID", ""))},
    }[kind]
    return Illegal(call.but(**changes), "AttributeValueError")
