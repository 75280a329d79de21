"""A location in an input file, and what is wrong there.

Every stage reports through these two classes, so that all faults of a run are collected,
sorted and printed together as ``file:line:column: what is wrong; what to write instead``.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

_MEANT = re.compile(r"; did you mean '([^']*)'\?\Z")


class Location(NamedTuple):
    """A place in an input file. Lines and columns count from 1; 0 means the file as a whole."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, order=True)
class Diagnostic:
    """One fault of the input: where it is, what is wrong, and what to do about it."""

    location: Location
    message: str

    @property
    def suggestion(self) -> str | None:
        """The word that is likely meant, where the message names one."""
        match = _MEANT.search(self.message)
        return match[1] if match else None

    def __str__(self) -> str:
        return f"{self.location}: {self.message}"


class InputError(Exception):
    """The input cannot be used; carries every fault found, sorted by place."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(sorted(set(diagnostics)))
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Diagnostic, ...]]]:
        """Pickle the faults: processes that render pass them on."""
        return type(self), (self.diagnostics,)


def suggestion(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where a known word is close, else the known words."""
    words = list(dict.fromkeys(known))
    close = near(word, words)
    if close:
        return f"; did you mean '{close[0]}'?"
    if words:
        return f"; expected {listing(words)}"
    return ""


def near(word: str, known: Iterable[str]) -> list[str]:
    """The known word that is likely meant: one that differs in case alone, or a similar one."""
    words = list(known)
    alike = [known_word for known_word in words if known_word.lower() == word.lower()]
    return alike[:1] or difflib.get_close_matches(word, words, n=1, cutoff=0.6)


def meant(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` where a known word is close, else nothing."""
    close = near(word, known)
    return f"; did you mean '{close[0]}'?" if close else ""


def listing(words: Iterable[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " or " + items[-1]
