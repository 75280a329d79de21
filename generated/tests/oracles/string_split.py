"""Reference of StringSplit: a scan over the characters of each text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value

WHITESPACE = {
    *range(0x09, 0x0E),
    *range(0x1C, 0x21),
    *(0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000),
}


def is_space(character: str) -> bool:
    return ord(character) in WHITESPACE


def by_delimiter(text: str, delimiter: str, max_splits: int) -> list[str]:
    parts = [""]
    at = 0
    while at < len(text):
        here = text[at : at + len(delimiter)] == delimiter
        if here and (max_splits < 0 or len(parts) <= max_splits):
            parts.append("")
            at += len(delimiter)
        else:
            parts[-1] += text[at]
            at += 1
    return parts


def by_whitespace(text: str, max_splits: int) -> list[str]:
    end = len(text)
    while end > 0 and is_space(text[end - 1]):
        end -= 1
    parts: list[str] = []
    between = True
    for character in text[:end]:
        is_last = max_splits >= 0 and len(parts) > max_splits
        if is_space(character) and not (is_last and not between):
            between = True
            continue
        if between:
            parts.append("")
        parts[-1] += character
        between = False
    return parts


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, outputs: int | None
) -> dict[str, Value]:
    x = inputs["X"]
    delimiter, max_splits = attributes.get("delimiter") or "", attributes.get("maxsplit", -1)
    split = [
        by_delimiter(text, delimiter, max_splits) if delimiter else by_whitespace(text, max_splits)
        for text in x.items
    ]
    length = max((len(parts) for parts in split), default=0)
    items = [text for parts in split for text in parts + [""] * (length - len(parts))]
    return {
        "Y": Value("string", (*x.shape, length), tuple(items)),
        "Z": Value("int64", x.shape, tuple(len(parts) for parts in split)),
    }
