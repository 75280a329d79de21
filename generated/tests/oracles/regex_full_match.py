"""Reference of RegexFullMatch: an expression maps positions of a text to those where a match ends.

The expression is read by recursive descent into functions from sets of positions to sets of
positions. It has what the examples and random calls need: no names of groups, for instance.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from typing import Any
from unicodedata import category

from opmill_checks.value import Value

Ends = Callable[[str, set[int]], set[int]]
Test = Callable[[str], bool]

WORD = string.ascii_letters + string.digits + "_"
NAMED = {
    "d": string.digits,
    "s": " \t\n\r\f",
    "w": WORD,
    "alpha": string.ascii_letters,
    "digit": string.digits,
    "upper": string.ascii_uppercase,
    "punct": string.punctuation,
    "space": string.whitespace,
}
CONTROLS = dict(zip("aftnrv", "\a\f\t\n\r\v", strict=True))


def cases(character: str) -> set[str]:
    found = {character}
    for _ in range(3):
        found |= {other for one in found for other in (one.upper(), one.lower()) if len(other) == 1}
        if found & {"k", "K"}:
            found.add("\u212a")
    return found


def one_of(test: Test) -> Ends:
    return lambda text, starts: {at + 1 for at in starts if at < len(text) and test(text[at])}


def where(test: Callable[[str, int], bool]) -> Ends:
    return lambda text, starts: {at for at in starts if test(text, at)}


def sequence(parts: list[Ends]) -> Ends:
    def ends(text: str, starts: set[int]) -> set[int]:
        for part in parts:
            starts = part(text, starts)
        return starts

    return ends


def either(parts: list[Ends]) -> Ends:
    return lambda text, starts: {end for part in parts for end in part(text, starts)}


def repeated(part: Ends, low: int, high: int | None) -> Ends:
    def ends(text: str, starts: set[int]) -> set[int]:
        for _ in range(low):
            starts = part(text, starts)
        found, count = set(starts), low
        while starts and (high is None or count < high):
            starts = part(text, starts) - found
            found |= starts
            count += 1
        return found

    return ends


def is_boundary(text: str, at: int) -> bool:
    before = at > 0 and text[at - 1] in WORD
    return before != (at < len(text) and text[at] in WORD)


class Reader:
    """Reads an expression that is legal."""

    def __init__(self, pattern: str) -> None:
        self.rest = pattern
        self.flags = ""

    def skip(self, start: str) -> bool:
        if not self.rest.startswith(start):
            return False
        self.rest = self.rest[len(start) :]
        return True

    def take(self) -> str:
        first, self.rest = self.rest[0], self.rest[1:]
        return first

    def until(self, end: str) -> str:
        found, _, self.rest = self.rest.partition(end)
        return found

    def alternatives(self) -> Ends:
        flags, parts = self.flags, [self.parts()]
        while self.skip("|"):
            parts.append(self.parts())
        self.flags = flags
        return either(parts)

    def parts(self) -> Ends:
        parts: list[Ends] = []
        while self.rest and self.rest[0] not in "|)":
            if self.skip("\\Q"):
                parts += [self.literal(one) for one in self.until("\\E")]
            elif self.rest.startswith("(?") and ")" in self.rest.partition(":")[0]:
                self.rest = self.rest[2:]
                self.set_flags(self.until(")"))
                continue
            else:
                parts.append(self.atom())
            if parts:
                parts[-1:] = [self.operators(parts[-1])]
        return sequence(parts)

    def set_flags(self, given: str) -> None:
        on, _, off = given.partition("-")
        self.flags = "".join(one for one in self.flags + on if one not in off)

    def operators(self, part: Ends) -> Ends:
        if self.skip("*"):
            part = repeated(part, 0, None)
        elif self.skip("+"):
            part = repeated(part, 1, None)
        elif self.skip("?"):
            part = repeated(part, 0, 1)
        elif self.rest[:1] == "{" and self.rest[1:2].isdigit() and self.rest[1:3] != "01":
            low, comma, high = self.until("}")[1:].partition(",")
            part = repeated(part, int(low), int(high or low) if high or not comma else None)
        else:
            return part
        self.skip("?")
        return part

    def literal(self, character: str) -> Ends:
        wanted = cases(character) if "i" in self.flags else {character}
        return one_of(lambda one: one in wanted)

    def atom(self) -> Ends:
        if self.skip("."):
            newlines = "s" in self.flags
            return one_of(lambda one: newlines or one != "\n")
        if self.rest[0] in "^$":
            step, lines = -1 if self.take() == "^" else 0, "m" in self.flags
            edge = {-1: 0, 0: None}[step]
            return where(
                lambda text, at: (
                    at == (len(text) if edge is None else edge)
                    or (lines and text[at + step] == "\n")
                )
            )
        for escape, is_inside in (("\\b", False), ("\\B", True)):
            if self.skip(escape):
                return where(lambda text, at, inside=is_inside: is_boundary(text, at) != inside)
        if self.skip("\\A"):
            return where(lambda text, at: at == 0)
        if self.skip("\\z"):
            return where(lambda text, at: at == len(text))
        if self.skip("("):
            before = self.flags
            if self.skip("?"):
                self.set_flags(self.until(":"))
            inner = self.alternatives()
            self.skip(")")
            self.flags = before
            return inner
        return one_of(self.bracket() if self.skip("[") else self.member())

    def member(self) -> Test:
        """A character, or a class with a name."""
        if self.rest[0] == "\\" and self.rest[1] in "pP":
            self.take()
            return self.category(self.take() == "P")
        if self.rest[0] == "\\" and self.rest[1].lower() in "dsw":
            self.take()
            name = self.take()
            return self.named(name.lower(), name.isupper())
        low = self.character()
        return self.between(low, low)

    def character(self) -> str:
        first = self.take()
        return self.escaped(self.take()) if first == "\\" else first

    def between(self, low: str, high: str) -> Test:
        folds = "i" in self.flags
        return lambda one: any(low <= c <= high for c in (cases(one) if folds else one))

    def category(self, negated: bool) -> Test:
        """A category of Unicode, whose case is not ignored."""
        name = self.until("}")[1:] if self.rest[0] == "{" else self.take()
        negated ^= name.startswith("^")
        return lambda one: category(one).startswith(name.lstrip("^")) != negated

    def named(self, name: str, negated: bool) -> Test:
        folds = "i" in self.flags
        return lambda one: any(c in NAMED[name] for c in (cases(one) if folds else one)) != negated

    def escaped(self, letter: str) -> str:
        if letter == "x":
            digits = self.until("}")[1:] if self.rest[0] == "{" else self.take() + self.take()
            return chr(int(digits, 16))
        return CONTROLS.get(letter, letter)

    def bracket(self) -> Test:
        negated = self.skip("^")
        tests: list[Test] = []
        while not tests or not self.skip("]"):
            if self.skip("[:"):
                name = self.until(":]")
                tests.append(self.named(name.lstrip("^"), name.startswith("^")))
            elif self.rest[0] == "\\" and self.rest[1].lower() in "dswp":
                tests.append(self.member())
            else:
                low = high = self.character()
                if self.rest[0] == "-" and self.rest[1] != "]":
                    self.take()
                    high = self.character()
                tests.append(self.between(low, high))
        return lambda one: any(test(one) for test in tests) != negated


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, outputs: int | None
) -> dict[str, Value]:
    x = inputs["X"]
    ends = Reader(attributes["pattern"]).alternatives()
    items = tuple(len(text) in ends(text, {0}) for text in x.items)
    return {"Y": Value("bool", x.shape, items)}
