"""Calls of SVMClassifier: a few support vectors for each class, or none at all."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer
from opmill_checks.estimator_calls import (
    FEATURE_TYPES,
    kernel_attributes,
    label_list,
    rows,
    transform,
    weights,
)


def legal(draw: Draw) -> Call:
    """Votes of pairs, their probabilities, or linear scores."""
    type = choice(draw, FEATURE_TYPES)
    features, classes = choice(draw, (1, 3, 0, 5)), choice(draw, (2, 3, 4))
    pairs = classes * (classes - 1) // 2
    attributes: dict[str, Any] = {
        **kernel_attributes(draw),
        **label_list(draw, classes),
        **transform(draw),
    }
    if happens(draw, 25):
        attributes["coefficients"] = weights(draw, classes * features)
        attributes["rho"] = weights(draw, choice(draw, (1, classes)))
    else:
        counts = [integer(draw, 0, 3) for _ in range(classes)]
        attributes["vectors_per_class"] = counts
        attributes["support_vectors"] = weights(draw, sum(counts) * features)
        attributes["coefficients"] = weights(draw, (classes - 1) * sum(counts))
        attributes["rho"] = weights(draw, pairs)
        if happens(draw, 40):
            attributes["prob_a"] = [choice(draw, (-1.0, -0.5, -2.0)) for _ in range(pairs)]
            attributes["prob_b"] = weights(draw, pairs)
    return Call({"X": rows(draw, features, type)}, attributes, {"T1": f"tensor({type})"})


def illegal(draw: Draw) -> Illegal:
    """A rank, a word, labels, or a list of another length."""
    call = legal(draw)
    kinds = ("rank", "coefficients", "rho", "labels", "both", "none", "kernel", "a", "b", "word")
    kind = choice(draw, kinds)
    if kind == "rank":
        wrong = choice(draw, ((), (1, 1, call.dims_of("X")[-1])))
        return Illegal(call.but({"X": wrong}), "ShapeError")
    changes: dict[str, Any] = {
        "coefficients": {"coefficients": choice(draw, (None, [1.0] * 97))},
        "rho": {"rho": choice(draw, (None, []))},
        "labels": {"classlabels_ints": [1], "classlabels_strings": None},
        "both": {"classlabels_ints": [0, 1], "classlabels_strings": ["a", "b"]},
        "none": {"classlabels_ints": None, "classlabels_strings": None},
        "kernel": {"kernel_type": choice(draw, ("linear", "COSINE"))},
        "a": {"prob_a": [1.0] * 7, "prob_b": [1.0] * 7},
        "b": {"prob_b": [1.0] * 7},
        "word": {"post_transform": choice(draw, ("none", "SIGMOID", ""))},
    }[kind]
    return Illegal(call.but(**changes), "AttributeValueError")
