"""Calls of CategoryMapper and LabelEncoder-1: strings and integers with a partner and without."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, dims, happens, rank

WHOLES = (0, 1, 2, -3, 7, 2**63 - 1, -(2**63))
TEXTS = ("a", "", "b", "ab", "\u00e9")


def lists(draw: Draw, attributes: frozenset[str]) -> dict[str, Any]:
    """Strings, and the integers beside them where the operator has these."""
    count = choice(draw, (1, 2, 3, 5))
    texts = [choice(draw, TEXTS) for _ in range(count)]
    if "classes_strings" in attributes:
        return {"classes_strings": texts}
    return {"cats_strings": texts, "cats_int64s": [choice(draw, WHOLES) for _ in range(count)]}


def legal(draw: Draw, *, attributes: frozenset[str]) -> Call:
    """Both directions, with duplicates; sometimes defaults."""
    given = lists(draw, attributes)
    if happens(draw, 50):
        given |= {"default_int64": choice(draw, WHOLES), "default_string": choice(draw, TEXTS)}
    type_ = choice(draw, ("string", "int64"))
    shape = dims(draw, rank(draw), 200)
    options: Any = TEXTS if type_ == "string" else WHOLES
    items = tuple(choice(draw, options) for _ in range(prod(shape)))
    return Call({"X": Contents(shape, items)}, given, {"T1": type_})


def illegal(draw: Draw, *, attributes: frozenset[str]) -> Illegal:
    """No strings, or an empty list; integers of another number."""
    call = legal(draw, attributes=attributes)
    if "classes_strings" in attributes:
        wrong: dict[str, Any] = {"classes_strings": choice(draw, (None, []))}
    else:
        more = [*call.attributes["cats_int64s"], 5]
        wrong = choice(
            draw,
            (
                {"cats_strings": None},
                {"cats_int64s": None},
                {"cats_strings": [], "cats_int64s": []},
                {"cats_int64s": more},
            ),
        )
    return Illegal(call.but(**wrong), "AttributeValueError")
