"""Calls of TreeEnsemble: a few nodes, each with leaves or later nodes behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer
from opmill_checks.tree_calls import rows
from opmill_checks.value import Value


def legal(draw: Draw) -> Call:
    """Any modes; nodes and leaves may be shared."""
    type = choice(draw, ("float", "double", "float16"))
    features, targets = choice(draw, (2, 1, 3)), choice(draw, (1, 2, 4))
    count, leaves = integer(draw, 1, 6), integer(draw, 1, 5)
    one_mode = choice(draw, (0, 1, None))
    modes = [integer(draw, 0, 6) if one_mode is None else one_mode for _ in range(count)]
    attributes: dict[str, Any] = {
        "n_targets": targets,
        "nodes_featureids": [integer(draw, 0, features - 1) for _ in range(count)],
        "nodes_modes": Value("uint8", (count,), tuple(modes)),
        "nodes_splits": numbers(draw, type, count),
        "leaf_targetids": [integer(draw, 0, targets - 1) for _ in range(leaves)],
        "leaf_weights": numbers(draw, type, leaves),
        "tree_roots": [integer(draw, 0, count - 1) for _ in range(integer(draw, 0, 3))],
    }
    for side in ("true", "false"):
        flags = [int(i + 1 == count or happens(draw, 60)) for i in range(count)]
        attributes[f"nodes_{side}leafs"] = flags
        attributes[f"nodes_{side}nodeids"] = [
            integer(draw, 0, leaves - 1) if flag else integer(draw, i + 1, count - 1)
            for i, flag in enumerate(flags)
        ]
    if 6 in modes:
        attributes["membership_values"] = sets(draw, type, modes.count(6))
    if happens(draw, 40):
        attributes["nodes_missing_value_tracks_true"] = [integer(draw, 0, 1) for _ in range(count)]
    if happens(draw, 50):
        attributes["aggregate_function"] = integer(draw, 0, 3)
    if happens(draw, 50):
        attributes["post_transform"] = integer(draw, 0, 4)
    return Call({"X": rows(draw, features, type)}, attributes, {"T": f"tensor({type})"})


def numbers(draw: Draw, type: str, count: int) -> Value:
    """Multiples of 1/8."""
    return Value(type, (count,), tuple(integer(draw, -40, 40) / 8 for _ in range(count)))


def sets(draw: Draw, type: str, count: int) -> Value:
    """Sets of up to three members, each with its NaN."""
    items: list[float] = []
    for _ in range(count):
        items += [integer(draw, -4, 4) / 8 for _ in range(integer(draw, 0, 3))]
        items.append(math.nan)
    return Value(type, (len(items),), tuple(items))


def illegal(draw: Draw) -> Illegal:
    """A rank, a number out of range, or a list that does not fit the others."""
    call = legal(draw)
    if happens(draw, 15):
        return Illegal(call.but({"X": (call.dims_of("X")[1],)}), "ShapeError")
    wrong: Sequence[tuple[str, Any]] = (
        ("n_targets", choice(draw, (0, None))),
        ("aggregate_function", choice(draw, (-1, 4))),
        ("post_transform", choice(draw, (-1, 5))),
        ("nodes_featureids", []),
        ("nodes_trueleafs", [1] * 9),
        ("nodes_falsenodeids", [99] * 9),
        ("nodes_missing_value_tracks_true", [1] * 9),
        ("leaf_targetids", [0] * 9),
        ("tree_roots", choice(draw, ([99], [-1]))),
    )
    name, value = choice(draw, wrong)
    return Illegal(call.but(**{name: value}), "AttributeValueError")
