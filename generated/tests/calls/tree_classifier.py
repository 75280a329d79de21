"""Calls of TreeEnsembleClassifier: a few small trees with votes for a few classes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens
from opmill_checks.estimator_calls import FEATURE_TYPES, label_list, transform, weights
from opmill_checks.tree_calls import WRONG_NODES, as_doubles, nodes, rows, votes


def legal(draw: Draw, attributes: Collection[str]) -> Call:
    """Any number of features, none too; lists of doubles where the version has them."""
    type = choice(draw, FEATURE_TYPES)
    features, classes = choice(draw, (2, 1, 3, 0)), choice(draw, (2, 3, 4))
    lists = nodes(draw, features)
    given: dict[str, Any] = {
        **lists,
        **votes(draw, "class", lists, classes),
        **transform(draw),
        **label_list(draw, classes, "classlabels_int64s"),
    }
    if happens(draw, 40):
        is_single = classes == 2 and len(set(given["class_ids"])) == 1
        given["base_values"] = weights(draw, choice(draw, (1, 2)) if is_single else classes)
    for name in ("nodes_values", "class_weights", "base_values"):
        if name in given and f"{name}_as_tensor" in attributes and happens(draw, 25):
            as_doubles(given, name)
    return Call({"X": rows(draw, features, type)}, given, {"T1": f"tensor({type})"})


def illegal(draw: Draw, attributes: Collection[str]) -> Illegal:
    """A rank, labels, or a list that does not fit the others."""
    call = legal(draw, attributes=frozenset())
    if happens(draw, 15):
        return Illegal(call.but({"X": (call.dims_of("X")[1],)}), "ShapeError")
    changes, raises = choice(
        draw,
        (
            *WRONG_NODES,
            ({"classlabels_int64s": None, "classlabels_strings": None}, "AttributeValueError"),
            ({"classlabels_int64s": [1], "classlabels_strings": None}, "AttributeValueError"),
            ({"class_ids": [0] * 99}, "AttributeValueError"),
            ({"base_values": [1.0] * 9}, "AttributeValueError"),
        ),
    )
    return Illegal(call.but(**changes), raises)
