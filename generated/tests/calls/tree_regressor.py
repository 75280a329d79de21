"""Calls of TreeEnsembleRegressor: a few small trees with votes for a few targets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens
from opmill_checks.estimator_calls import FEATURE_TYPES, transform, weights
from opmill_checks.tree_calls import WRONG_NODES, as_doubles, nodes, rows, votes


def legal(draw: Draw, attributes: Collection[str]) -> Call:
    """Any number of features, none too; lists of doubles where the version has them."""
    type = choice(draw, FEATURE_TYPES)
    features, targets = choice(draw, (2, 1, 3, 0)), choice(draw, (1, 2, 4))
    lists = nodes(draw, features)
    given: dict[str, Any] = {
        **lists,
        **votes(draw, "target", lists, targets),
        **transform(draw),
        "n_targets": targets,
    }
    if happens(draw, 50):
        given["aggregate_function"] = choice(draw, ("SUM", "AVERAGE", "MIN", "MAX"))
    if happens(draw, 40):
        given["base_values"] = weights(draw, targets)
    for name in ("nodes_values", "target_weights", "base_values"):
        if name in given and f"{name}_as_tensor" in attributes and happens(draw, 25):
            as_doubles(given, name)
    return Call({"X": rows(draw, features, type)}, given, {"T": f"tensor({type})"})


def illegal(draw: Draw, attributes: Collection[str]) -> Illegal:
    """A rank, or a list that does not fit the others."""
    call = legal(draw, attributes=frozenset())
    if happens(draw, 15):
        return Illegal(call.but({"X": (call.dims_of("X")[1],)}), "ShapeError")
    changes, raises = choice(
        draw,
        (
            *WRONG_NODES,
            ({"n_targets": choice(draw, (0, -1, None))}, "AttributeValueError"),
            ({"target_ids": [0] * 99}, "AttributeValueError"),
            ({"base_values": [1.0] * 9}, "AttributeValueError"),
            ({"aggregate_function": "MEAN"}, "AttributeValueError"),
        ),
    )
    return Illegal(call.but(**changes), raises)
