"""Calls of LinearClassifier: a few classes, two of them also with one row of coefficients."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens
from opmill_checks.estimator_calls import (
    FEATURE_TYPES,
    label_list,
    rows,
    transform,
    weights,
)


def legal(draw: Draw) -> Call:
    """Any number of features, none too."""
    type = choice(draw, FEATURE_TYPES)
    features, classes = choice(draw, (1, 3, 0, 9)), choice(draw, (2, 3, 5))
    count = 1 if classes == 2 and features and happens(draw, 50) else classes
    attributes: dict[str, Any] = {
        "coefficients": weights(draw, features * count),
        **label_list(draw, classes),
        **transform(draw),
    }
    if happens(draw, 60):
        attributes["intercepts"] = weights(draw, count)
    if happens(draw, 30):
        attributes["multi_class"] = choice(draw, (0, 1))
    return Call({"X": rows(draw, features, type)}, attributes, {"T1": f"tensor({type})"})


def illegal(draw: Draw) -> Illegal:
    """A rank, labels that do not fit, or a list of another length."""
    call = legal(draw)
    values = list(call.attributes["coefficients"])
    kind = choice(draw, ("rank", "coefficients", "intercepts", "labels", "both", "none", "word"))
    if kind == "rank":
        wrong = choice(draw, ((), (1, 1, call.dims_of("X")[-1])))
        return Illegal(call.but({"X": wrong}), "ShapeError")
    changes: dict[str, Any] = {
        "coefficients": {"coefficients": [*values, *([1.0] * (len(values) + 1))]},
        "intercepts": {"intercepts": [0.5] * 9},
        "labels": {"classlabels_ints": [1], "classlabels_strings": None},
        "both": {"classlabels_ints": [0, 1], "classlabels_strings": ["a", "b"]},
        "none": {"classlabels_ints": None, "classlabels_strings": None},
        "word": {"post_transform": choice(draw, ("none", "SIGMOID", ""))},
    }[kind]
    return Illegal(call.but(**changes), "AttributeValueError")
