"""Shared parts of random calls of tree ensembles: trees, and features near their values."""

from __future__ import annotations

import math
from typing import Any

from opmill_checks.drawing import Contents, Draw, choice, happens, integer
from opmill_checks.estimator_calls import feature
from opmill_checks.value import Value

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ")


def rows(draw: Draw, width: int, type: str) -> Contents:
    """A few rows of features; floating ones may be NaN."""
    count = choice(draw, (1, 3, 2, 0, 7, 70))
    drawn = [feature(draw, type) for _ in range(min(count, 7) * width)]
    if not type.startswith("int"):
        drawn = [math.nan if happens(draw, 10) else one for one in drawn]
    items = tuple(drawn[i % len(drawn)] for i in range(count * width)) if drawn else ()
    return Contents((count, width), items)


def tree(draw: Draw, depth: int) -> Any:
    """A nested pair for each branch, None for a leaf."""
    if depth == 0 or happens(draw, 25):
        return None
    return tree(draw, depth - 1), tree(draw, depth - 1)


def nodes(draw: Draw, features: int) -> dict[str, Any]:
    """The lists of a few trees, their nodes in order or shuffled behind the roots."""
    lists: list[tuple[int, int, int, str, float, int, int]] = []
    mode = choice(draw, (*MODES[:2], None, *MODES[2:]))
    step, first = choice(draw, ((1, 0), (1, 0), (3, -1)))
    for tree_id in (4, -1, 0, 9)[: integer(draw, 1, 4)]:
        begin = len(lists)
        ids = range(first, first + 99 * step, step)
        _add(draw, lists, tree_id, begin, ids, tree(draw, 3 if features else 0), features, mode)
        if happens(draw, 30):
            lists[begin + 1 :] = draw_order(draw, lists[begin + 1 :])
    names = ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids")
    columns = zip(*lists, strict=True)
    found: dict[str, Any] = {
        f"nodes_{name}": list(column) for name, column in zip(names, columns, strict=True)
    }
    if happens(draw, 50):
        tracks = [choice(draw, (0, 1)) for _ in lists]
        found["nodes_missing_value_tracks_true"] = tracks
    return found


def draw_order(draw: Draw, items: list[Any]) -> list[Any]:
    """The items in another order."""
    order = [(integer(draw, 0, 99), i) for i in range(len(items))]
    return [items[i] for _, i in sorted(order)]


def _add(
    draw: Draw,
    lists: list[Any],
    tree_id: int,
    begin: int,
    ids: range,
    shape: Any,
    features: int,
    mode: Any,
) -> int:
    """Append the nodes of a tree; return the id of its root."""
    at = len(lists)
    own = ids[at - begin]
    if shape is None:
        lists.append((tree_id, own, 0, "LEAF", 0.0, 0, 0))
        return own
    lists.append(None)
    first = _add(draw, lists, tree_id, begin, ids, shape[0], features, mode)
    second = _add(draw, lists, tree_id, begin, ids, shape[1], features, mode)
    column = integer(draw, 0, features - 1)
    value = integer(draw, -40, 40) / 8
    word = mode or choice(draw, MODES)
    lists[at] = (tree_id, own, column, word, value, first, second)
    return own


def votes(draw: Draw, prefix: str, lists: dict[str, Any], targets: int) -> dict[str, Any]:
    """Votes of some nodes, most of them leaves; weights whose sums are exact."""
    found: list[tuple[int, int, int, float]] = []
    only = integer(draw, 0, targets - 1) if happens(draw, 30) else None
    sign = choice(draw, (-1, 0))
    ids = zip(lists["nodes_treeids"], lists["nodes_nodeids"], lists["nodes_modes"], strict=True)
    for tree_id, node, mode in ids:
        for _ in range(choice(draw, (1, 1, 2, 0)) if mode == "LEAF" or happens(draw, 10) else 0):
            target = integer(draw, 0, targets - 1) if only is None else only
            found.append((tree_id, node, target, integer(draw, 16 * sign, 16) / 8))
    names = ("treeids", "nodeids", "ids", "weights")
    columns = list(zip(*found, strict=True)) or [()] * len(names)
    return {f"{prefix}_{name}": list(column) for name, column in zip(names, columns, strict=True)}


def as_doubles(attributes: dict[str, Any], name: str) -> None:
    """Give a list of floats as a tensor of doubles."""
    items = tuple(float(item) for item in attributes.pop(name))
    attributes[f"{name}_as_tensor"] = Value("double", (len(items),), items)


WRONG_NODES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"nodes_treeids": None}, "AttributeValueError"),
    ({"nodes_treeids": []}, "AttributeValueError"),
    ({"nodes_modes": ["LEAF"] * 99}, "AttributeValueError"),
    ({"nodes_values": [0.0] * 99}, "AttributeValueError"),
    ({"nodes_missing_value_tracks_true": [1] * 99}, "AttributeValueError"),
    ({"post_transform": "none"}, "AttributeValueError"),
)
"""Changes that make the lists of nodes illegal, and the error of each."""
