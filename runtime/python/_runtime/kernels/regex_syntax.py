"""RE2's syntax of regular expressions. A pattern is compiled while it is read.

Its program is a list of instructions whose jumps are relative, so that the operand of an operator
can be moved and copied as it is:

    ("set", items, negated)  takes a character
    ("split", a, b)          goes on at two positions
    ("jump", a)              goes on elsewhere
    ("assert", kind)         goes on where the position is of that kind
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unicodedata import category

from opmill._runtime.errors import ContentsError

MAX_CODE = 20_000
MAX_REPEATS = 1000
MAX_DEPTH = 1000

# Characters

Ranges = tuple[tuple[int, int], ...]

Item = tuple["Ranges | frozenset[str]", bool, bool]
"""Ranges of characters or categories of Unicode; whether negated; whether case is ignored."""

Code = list[tuple[Any, ...]]

DIGIT: Ranges = ((48, 57),)
UPPER: Ranges = ((65, 90),)
LOWER: Ranges = ((97, 122),)
ALL: Ranges = ((0, 0x10FFFF),)
WORD: Ranges = (*DIGIT, *UPPER, (95, 95), *LOWER)
PERL: dict[str, Ranges] = {"d": DIGIT, "s": ((9, 10), (12, 13), (32, 32)), "w": WORD}
POSIX: dict[str, Ranges] = {
    "alnum": (*DIGIT, *UPPER, *LOWER),
    "alpha": (*UPPER, *LOWER),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": DIGIT,
    "graph": ((33, 126),),
    "lower": LOWER,
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": UPPER,
    "word": WORD,
    "xdigit": (*DIGIT, (65, 70), (97, 102)),
}
CATEGORIES = (
    *("Cc", "Cf", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No"),
    *("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs"),
)
FOLDED = {"\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb06": "\ufb05"}
"""Pairs that Unicode folds since version 15.1."""


@cache
def _case_variants() -> dict[int, tuple[int, ...]]:
    """Of each character that has several cases all of them."""
    groups: dict[str, list[int]] = {}
    for code in range(0x1F000):  # no letter beyond has cases
        c = chr(code)
        folded = c.casefold()
        key = FOLDED.get(c, folded if len(folded) == 1 else c.lower())
        groups.setdefault(key, []).append(code)
    return {code: tuple(group) for group in groups.values() if len(group) > 1 for code in group}


def has(item: Item, code: int) -> bool:
    """Whether an item of a class means a character."""
    meant, negated, folds = item
    codes = _case_variants().get(code, (code,)) if folds else (code,)
    if isinstance(meant, frozenset):
        return negated is not any(category(chr(one)) in meant for one in codes)
    return negated is not any(low <= one <= high for one in codes for low, high in meant)


# Patterns

ASSERTIONS = {"A": "text begin", "z": "text end", "b": "boundary", "B": "inside"}
ESCAPES = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_NUMBER = "(0|[1-9][0-9]{0,8})"
_OPERATOR = re.compile(rf"(?:([*+?])|\{{{_NUMBER}(,{_NUMBER}?)?\}})\??")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAME = re.compile(r"\(\?P?<([^>]*)>")
_NUMERIC = re.compile(r"\\(?:(0[0-7]{0,2}|[1-7][0-7]{1,2})|x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]+)\})")
_CLASS = re.compile(r"\\([dswDSW])|\\([pP])(?:\{([^}]*)\}|([^{]))|\[:(.*?):\]", re.DOTALL)


@dataclass
class _Group:
    """A group that is open.

    Args:
        flags: those that hold again behind it.
        start: where it begins in the program.
        branch: where its last alternative begins.
        at: where it begins in the pattern.
        jumps: the jumps at the ends of its other alternatives.
        repeats: the largest number of repetitions of anything in it, nested ones multiplied.
    """

    flags: frozenset[str]
    start: int
    branch: int
    at: int
    jumps: list[int] = field(default_factory=list)
    repeats: int = 1


class Parser:
    """Reads a pattern, which messages call by a name, and compiles it.

    ``atom`` is where the operand of a following operator begins in the program, None without one;
    ``repeats`` the largest number of repetitions in it.
    """

    def __init__(self, pattern: str, name: str) -> None:
        self.pattern = pattern
        self.name = name
        self.at = 0
        self.code: Code = []
        self.flags: frozenset[str] = frozenset()
        self.groups = [_Group(self.flags, 0, 0, 0)]
        self.atom: int | None = None
        self.repeats = 1
        self.is_repeated = False

    def fault(self, at: int, what: str, expected: str) -> ContentsError:
        position = len(self.pattern[:at].encode("utf-8", "surrogatepass"))
        return ContentsError(f"{self.name} has {what} at byte {position}, expected {expected}")

    def check_size(self, size: int) -> None:
        if size > MAX_CODE:
            raise ContentsError(
                f"{self.name} has more than {MAX_CODE} instructions, expected fewer"
            )

    def program(self) -> Code:
        """The program of the pattern."""
        while self.at < len(self.pattern):
            self.item()
            self.check_size(len(self.code))
        if len(self.groups) > 1:
            raise self.fault(self.groups[-1].at, "a group without end", "')' behind it")
        self.close(self.groups[0])
        return self.code

    def item(self) -> None:
        """The next character, escape, class, group or operator."""
        start, c = self.at, self.pattern[self.at]
        if operator := _OPERATOR.match(self.pattern, start):
            self.operator(operator)
            return
        if self.pattern.startswith("\\Q", start):
            self.quoted()
            return
        self.is_repeated = False
        self.at += 1
        if c == "(":
            self.open(start)
        elif c == ")":
            if len(self.groups) == 1:
                raise self.fault(start, "')' without a group", "'(' before it")
            self.end_group()
        elif c == "|":
            self.alternative()
        elif c in "^$":
            anchor = "line" if "m" in self.flags else "text"
            self.push("assert", f"{anchor} {'begin' if c == '^' else 'end'}")
        elif c == "\\" and self.pattern[self.at : self.at + 1] in tuple(ASSERTIONS):
            self.push("assert", ASSERTIONS[self.pattern[self.at]])
            self.at += 1
        elif c == ".":
            self.push("set", () if "s" in self.flags else ((((10, 10),), False, False),), True)
        elif c == "[":
            self.bracket(start)
        else:
            self.at = start
            item = self.named_class() if c == "\\" else None
            self.push("set", (item or self.character(self.one()),), False)

    def push(self, *instruction: Any) -> None:
        self.atom, self.repeats = len(self.code), 1
        self.code.append(instruction)

    def character(self, low: int, high: int | None = None) -> Item:
        return ((low, low if high is None else high),), False, "i" in self.flags

    # Operators and groups

    def operator(self, found: re.Match[str]) -> None:
        start, self.at = found.span()
        sign, first, rest, last = found.groups()
        if self.is_repeated:
            raise self.fault(start, "an operator behind an operator", "something to repeat")
        if self.atom is None:
            raise self.fault(start, "an operator without operand", "something to repeat")
        if sign:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        else:
            low = int(first)
            high = int(last) if last else None if rest else low
            largest = low if high is None else high
            if max(low, largest) > MAX_REPEATS or largest < low:
                expected = f"ascending numbers up to {MAX_REPEATS}"
                raise self.fault(start, "counts out of range", expected)
            self.repeats *= max(largest, 1)
            if self.repeats > MAX_REPEATS:
                expected = f"a product of at most {MAX_REPEATS}"
                raise self.fault(start, "nested repetitions", expected)
        self.repeat(self.atom, low, high)
        self.groups[-1].repeats = max(self.groups[-1].repeats, self.repeats)
        self.is_repeated = True

    def repeat(self, atom: int, low: int, high: int | None) -> None:
        """Repeat what begins at ``atom``; ``high`` is None for any number."""
        block = self.code[atom:]
        size = len(block)
        self.check_size(max(low, high or 1) * (size + 1) + atom)
        del self.code[atom:]
        if high is not None:
            self.code += block * low
            for left in range(high - low, 0, -1):
                self.code += [("split", 1, left * (size + 1)), *block]
        elif low == 0:
            self.code += [("split", 1, size + 2), *block, ("jump", -size - 1)]
        else:
            self.code += [*block * low, ("split", -size, 1)]

    def alternative(self) -> None:
        group = self.groups[-1]
        self.code.insert(group.branch, ("split", 1, len(self.code) - group.branch + 2))
        group.jumps.append(len(self.code))
        self.code.append(("jump", 0))
        group.branch = len(self.code)
        self.atom = None

    def close(self, group: _Group) -> None:
        for position in group.jumps:
            self.code[position] = ("jump", len(self.code) - position)

    def end_group(self) -> None:
        group = self.groups.pop()
        self.close(group)
        self.flags = group.flags
        self.atom, self.repeats = group.start, group.repeats
        self.groups[-1].repeats = max(self.groups[-1].repeats, group.repeats)

    def open(self, start: int) -> None:
        before = self.flags
        if self.pattern.startswith(("(?=", "(?!", "(?<=", "(?<!"), start):
            raise self.fault(start, "a lookaround", "a pattern without one")
        if name := _NAME.match(self.pattern, start):
            if not re.fullmatch(r"\w+", name[1]):
                raise self.fault(start, "an unfit name of a group", "letters, digits and '_'")
            self.at = name.end()
        elif flags := _FLAGS.match(self.pattern, start):
            self.at = flags.end()
            self.flags = (self.flags | {*flags[1]}) - {*(flags[2] or "")}
            if flags[3] == ")":
                return
        elif self.pattern.startswith("(?", start):
            raise self.fault(
                start, "an unknown group", "flags of 'imsU', a name or ':' behind '(?'"
            )
        if len(self.groups) > MAX_DEPTH:
            raise self.fault(start, "nested groups", f"at most {MAX_DEPTH}")
        self.groups.append(_Group(before, len(self.code), len(self.code), start))
        self.atom = None

    # Escapes and classes

    def quoted(self) -> None:
        """The characters between ``\\Q`` and ``\\E``, or the end of the pattern."""
        text, end, _ = self.pattern[self.at + 2 :].partition("\\E")
        self.check_size(len(self.code) + len(text))
        for c in text:
            self.push("set", (self.character(ord(c)),), False)
            self.is_repeated = False
        self.at += 2 + len(text) + len(end)

    def one(self) -> int:
        """The code of a character or of an escape for one."""
        start = self.at
        self.at += 1
        if self.pattern[start] != "\\":
            return ord(self.pattern[start])
        c = self.pattern[self.at : self.at + 1]
        if c == "":
            raise self.fault(start, "'\\' at its end", "a character behind it")
        self.at += 1
        if c in ESCAPES:
            return ESCAPES[c]
        if c.isascii() and not c.isalnum():
            return ord(c)
        if numeric := _NUMERIC.match(self.pattern, start):
            octal, two, any_number = numeric.groups()
            code = int(octal, 8) if octal else int(two or any_number, 16)
            if code <= ALL[0][1]:
                self.at = numeric.end()
                return code
        elif c in "123456789":
            raise self.fault(start, "a backreference", "a pattern without one")
        elif c == "C":
            raise self.fault(start, "the escape '\\C' of a byte", "'.', a character")
        raise self.fault(start, "an unknown escape", "one of RE2's")

    def named_class(self) -> Item | None:
        """A class of Perl, Unicode or, in brackets, POSIX; None where there is none."""
        start = self.at
        found = _CLASS.match(self.pattern, start)
        if found is None:
            if self.pattern.startswith(("\\p", "\\P"), start):
                raise self.fault(start, "a class without name", "one of Unicode's categories")
            return None
        self.at = found.end()
        perl, sign, long, short, posix = found.groups()
        folds = "i" in self.flags
        if perl:
            return PERL[perl.lower()], perl.isupper(), folds
        name = long or short or posix or ""
        negated = name.startswith("^") is not (sign == "P")
        name = name.removeprefix("^")
        if sign is None:
            if name not in POSIX:
                raise self.fault(start, "an unknown class", "a name of POSIX")
            return POSIX[name], negated, folds
        if name == "Any":
            return ALL, negated, folds
        meant = frozenset(one for one in CATEGORIES if name and one.startswith(name))
        if not meant:
            raise self.fault(start, "an unknown class", "one of Unicode's categories")
        return meant, negated, folds

    def bracket(self, start: int) -> None:
        """A class in brackets."""
        negated = self.pattern.startswith("^", self.at)
        self.at += negated
        items: list[Item] = []
        while not items or not self.pattern.startswith("]", self.at):
            if self.at >= len(self.pattern):
                raise self.fault(start, "a class without end", "']' behind it")
            begins = self.pattern.startswith(("\\", "[:"), self.at)
            items.append((self.named_class() if begins else None) or self.range())
        self.at += 1
        self.push("set", tuple(items), negated)

    def range(self) -> Item:
        """A character of a class, or two with a hyphen between."""
        start = self.at
        low = self.one()
        if self.pattern[self.at + 1 : self.at + 2] in ("", "]") or self.pattern[self.at] != "-":
            return self.character(low)
        self.at += 1
        high = self.one()
        if high < low:
            raise self.fault(start, "a descending range", "an ascending one")
        return self.character(low, high)
