"""Reference of StringNormalizer, with a table of the letters that the tests use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value

LETTERS = "\u00e4\u00c4 \u00f6\u00d6 \u00fc\u00dc \u03b1\u0391 \u01c6\u01c4 \u044f\u042f "
LETTERS += "\u2c65\u023a \u03c3\u03a3 \u0451\u0401 \u00ff\u0178 \u1fb3\u1fbc \U00010428\U00010400"
PAIRS = [(pair[0], pair[1]) for pair in LETTERS.split(" ")]
PAIRS += [(chr(code + 32), chr(code)) for code in range(65, 91)]
UPPER = dict(PAIRS) | {"\u03c2": "\u03a3", "\u0131": "I"}
LOWER = {large: small for small, large in PAIRS} | {"\u0130": "i", "\u1e9e": "\u00df"}


def mapped(text: str, table: Mapping[str, str], locale: str) -> str:
    plain = locale in ("C", "POSIX")
    return "".join(c if plain and ord(c) > 127 else table.get(c, c) for c in text)


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    locale = attributes.get("locale") or ""
    left = []
    for text in x.items:
        is_removed = False
        for word in attributes.get("stopwords") or []:
            if attributes.get("is_case_sensitive", 0):
                is_removed |= word == text
            else:
                is_removed |= mapped(word, LOWER, locale) == mapped(text, LOWER, locale)
        if not is_removed:
            left.append(text)
    action = attributes.get("case_change_action", "NONE")
    if action != "NONE":
        left = [mapped(text, {"UPPER": UPPER, "LOWER": LOWER}[action], locale) for text in left]
    left = left or [""]
    return {"Y": Value("string", (*x.shape[:-1], len(left)), tuple(left))}
