"""Calls of StringNormalizer: short texts of letters of both cases, and stop words among them."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer, vector

LETTERS = "aAbB1-\u00e4\u00c4\u03a3\u03c3\u03c2\u00df\u0130\u0131\u1e9e\ufb01\u4e2d"


def word(draw: Draw) -> str:
    return "".join(choice(draw, LETTERS) for _ in range(choice(draw, (1, 2, 0, 3))))


def legal(draw: Draw) -> Call:
    """A row, sometimes of rank 2; stop words that the row has in one case or the other."""
    texts = tuple(word(draw) for _ in range(integer(draw, 0, 6)))
    attributes: dict[str, Any] = {}
    if happens(draw, 70):
        attributes["case_change_action"] = choice(draw, ("UPPER", "LOWER", "NONE"))
    if happens(draw, 50):
        attributes["is_case_sensitive"] = choice(draw, (1, 0))
    if happens(draw, 60):
        words = [choice(draw, texts) for _ in range(integer(draw, 0, 3))] if texts else []
        attributes["stopwords"] = [*words, word(draw)]
    if happens(draw, 50):
        attributes["locale"] = choice(draw, ("C", "en_US", "POSIX", "C.UTF-8", "", "de-DE", "trv"))
    shape = (1, len(texts)) if happens(draw, 40) else (len(texts),)
    return Call({"X": Contents(shape, texts)}, attributes)


def illegal(draw: Draw) -> Illegal:
    """Shapes that are no row; attributes out of their range; a language that is not supported."""
    call = Call({"X": vector(["a"])})
    if happens(draw, 40):
        shape = choice(draw, ((), (2, 1), (1, 1, 1), (0, 1)))
        return Illegal(call.but({"X": shape}), "ShapeError")
    name, values = choice(
        draw,
        (
            ("case_change_action", ("upper", "", "TITLE")),
            ("is_case_sensitive", (2, -1, 2**63 - 1)),
            ("locale", ("tr_TR", "az", "lt-LT", "tr.UTF-8", "tr@x")),
        ),
    )
    return Illegal(call.but(**{name: choice(draw, values)}), "AttributeValueError")
