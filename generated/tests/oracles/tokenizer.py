"""Reference of Tokenizer: expressions are tried at every position and in every length.

An expression is read by recursive descent into a function from sets of positions to the sets of
positions where it ends. It has what the examples and random calls need.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any

from opmill_checks.value import Value

Ends = Callable[[str, frozenset[int]], frozenset[int]]
Test = Callable[[str], bool]

WORD = string.ascii_letters + string.digits + "_"
CLASSES = {
    "\\d": string.digits,
    "\\s": " \t\n\r\f",
    "\\w": WORD,
    "[:alpha:]": string.ascii_letters,
    "[:punct:]": string.punctuation,
}


def character(test: Test) -> Ends:
    return lambda text, starts: frozenset(
        at + 1 for at in starts if at < len(text) and test(text[at])
    )


def position(test: Callable[[str, int], bool]) -> Ends:
    return lambda text, starts: frozenset(at for at in starts if test(text, at))


def in_turn(first: Ends, second: Ends) -> Ends:
    return lambda text, starts: second(text, first(text, starts))


def repeated(part: Ends, low: int, high: int) -> Ends:
    def ends(text: str, starts: frozenset[int]) -> frozenset[int]:
        found: frozenset[int] = frozenset()
        for count in range(min(high, low + len(text) + 1) + 1):
            found |= starts if count >= low else frozenset()
            starts = part(text, starts)
        return found

    return ends


def is_boundary(text: str, at: int) -> bool:
    sides = [0 <= k < len(text) and text[k] in WORD for k in (at - 1, at)]
    return sides[0] != sides[1]


POSITIONS = {
    "^": lambda text, at: at == 0,
    "$": lambda text, at: at == len(text),
    "\\b": is_boundary,
    "\\B": lambda text, at: not is_boundary(text, at),
}


class Reader:
    """Reads an expression that is legal."""

    def __init__(self, expression: str) -> None:
        self.rest = expression
        self.ignores_case = self.skip("(?i)")

    def skip(self, beginning: str) -> bool:
        found = self.rest.startswith(beginning)
        self.rest = self.rest.removeprefix(beginning)
        return found

    def take(self) -> str:
        first, self.rest = self.rest[0], self.rest[1:]
        return first

    def alternatives(self) -> Ends:
        parts = [self.sequence()]
        while self.skip("|"):
            parts.append(self.sequence())
        return lambda text, starts: frozenset().union(*(part(text, starts) for part in parts))

    def sequence(self) -> Ends:
        whole: Ends = lambda text, starts: starts  # noqa: E731
        while self.rest and self.rest[0] not in "|)":
            whole = in_turn(whole, self.operators(self.atom()))
        return whole

    def operators(self, part: Ends) -> Ends:
        for sign, low, high in (("*", 0, 10**9), ("+", 1, 10**9), ("?", 0, 1), ("{2}", 2, 2)):
            if self.skip(sign):
                part = repeated(part, low, high)
                self.skip("?")
                break
        return part

    def atom(self) -> Ends:
        for sign, test in POSITIONS.items():
            if self.skip(sign):
                return position(test)
        if self.skip("("):
            self.skip("?:")
            inner = self.alternatives()
            self.skip(")")
            return inner
        if self.skip("."):
            return character(lambda one: one != "\n")
        if self.skip("["):
            negated = self.skip("^")
            members = [self.member()]
            while not self.skip("]"):
                members.append(self.member())
            return character(lambda one: any(test(one) for test in members) != negated)
        return character(self.member(is_alone=True))

    def member(self, is_alone: bool = False) -> Test:
        """A character, a class with a name or, in brackets, the characters between two."""
        for name, meant in CLASSES.items():
            if self.skip(name):
                return lambda one: one in meant
            if name[0] == "\\" and self.skip(name.upper()):
                return lambda one: one not in meant
        low = high = self.one()
        if not is_alone and self.rest[:1] == "-" and self.rest[1:2] not in ("", "]"):
            self.take()
            high = self.one()
        if self.ignores_case:
            return lambda one: any(low <= c <= high for c in (one, one.lower(), one.upper()))
        return lambda one: low <= one <= high

    def one(self) -> str:
        first = self.take()
        if first != "\\":
            return first
        letter = self.take()
        return {"n": "\n", "t": "\t"}.get(letter, letter)


def matches(expression: str, text: str, min_size: int = 0) -> list[tuple[int, int]]:
    """The matches of a size from left to right, each as long as possible."""
    ends = Reader(expression).alternatives()
    found = []
    at = 0
    while at <= len(text):
        reached = ends(text, frozenset((at,)))
        if reached and max(reached) - at >= min_size:
            found.append((at, max(reached)))
            at = max(reached | {at + 1})
        else:
            at += 1
    return found


def between(expression: str, text: str) -> list[str]:
    """What the matches leave; an empty match takes the character behind it."""
    parts, start = [], 0
    for begin, end in matches(expression, text):
        parts.append(text[start:begin])
        start = end if end > begin else end + 1
    return [*parts, text[start:]]


def tokens_of(text: str, attributes: Mapping[str, Any]) -> list[str]:
    separators = attributes.get("separators")
    min_size = attributes["mincharnum"]
    expression = attributes.get("tokenexp")
    if separators == [""] or (separators is None and expression == "."):
        return list(text)
    if separators is None:
        return [text[begin:end] for begin, end in matches(expression, text, min_size)]
    parts = [text]
    for separator in separators:
        split = [one for part in parts for one in between(separator, part)]
        parts = [one for one in split if len(one) >= min_size]
    return parts


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    rows = [tokens_of(text, attributes) for text in x.items]
    if not rows:
        return {"Y": Value("string", (*x.shape[:-1], 0), ())}
    if attributes["mark"] != 0 and any(rows):
        rows = [["\x02", *row, "\x03"] for row in rows]
    length = max(map(len, rows))
    items = [one for row in rows for one in row + [attributes["pad_value"]] * (length - len(row))]
    return {"Y": Value("string", (*x.shape, length), tuple(items))}
