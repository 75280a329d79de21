"""The automaton of a regular expression: matches of whole texts and searches in linear time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from opmill._runtime.kernels.regex_syntax import Parser, has

MAX_REMEMBERED = 1_000_000
FAILED_EACH, FAILED = 4, 1000
"""Characters that failed begins of a search may take, for each one of the text and in any case."""


def _kind(c: str) -> str:
    """What assertions see of a character beside a position; of none at an end."""
    if c == "":
        return "end"
    if c == "\n":
        return "line"
    return "word" if c.isascii() and (c.isalnum() or c == "_") else "other"


def _holds(kind: str, before: str, behind: str) -> bool:
    if kind == "text begin":
        return before == "end"
    if kind == "text end":
        return behind == "end"
    if kind == "line begin":
        return before in ("end", "line")
    if kind == "line end":
        return behind in ("end", "line")
    return ((before == "word") != (behind == "word")) is (kind == "boundary")


@dataclass(eq=False)
class _State:
    """The kind of the character before, the next instructions, and what follows characters.

    A step is the following state, and whether a match ends before the character.
    """

    before: str
    positions: frozenset[int]
    steps: dict[str, tuple[_State, bool]] = field(default_factory=dict)


class Automaton:
    """Follows all threads through a program at once, and remembers the steps that it has taken."""

    def __init__(self, pattern: str, name: str) -> None:
        """Compile a pattern, which messages call by that name.

        Raises:
            ContentsError: the pattern is not legal.
        """
        self._code = Parser(pattern, name).program()
        self._forget()

    def matches(self, text: str) -> bool:
        """Whether the whole text matches."""
        state = self._first_state("")
        for c in text:
            state = (state.steps.get(c) or self._step(state, c))[0]
            if not state.positions:
                return False
        return (state.steps.get("") or self._step(state, ""))[1]

    def search(self, text: str, start: int) -> tuple[int, int] | None:
        """Begin and end of the longest one of the first matches from a position on.

        The begins are tried one after another, which is fast, as most fail at their first
        character. Where failures add up to more than the text, the threads from all begins are
        followed at once.
        """
        left = FAILED_EACH * (len(text) - start) + FAILED
        for begin in range(start, len(text) + 1):
            state = self._first_state(text[begin - 1 : begin] if begin else "")
            end, at = None, begin
            while state.positions:
                c = text[at : at + 1]
                state, ends = state.steps.get(c) or self._step(state, c)
                if ends:
                    end = at
                at += 1
            if end is not None:
                return begin, end
            left -= at - begin
            if left < 0:
                return self._search_all(text, begin + 1)
        return None

    def _search_all(self, text: str, start: int) -> tuple[int, int] | None:
        """Search with threads from all begins, the first one before the others."""
        found: tuple[int, int] | None = None
        threads: dict[int, int] = {}  # the begin of each one by its position, in order
        before = text[start - 1 : start]
        for at in range(start, len(text) + 1):
            c = text[at : at + 1]
            if found is None:
                threads.setdefault(0, at)
            reached: set[int] = set()
            following: dict[int, int] = {}
            for position, begin in threads.items():
                if found and begin > found[0]:
                    break
                for taken in self._follow(position, _kind(before), c, reached):
                    if taken < 0:
                        found = (begin, at)
                    else:
                        following.setdefault(taken, begin)
            if found and not following:
                break
            threads, before = following, c
        return found

    def _forget(self) -> None:
        self._states: dict[tuple[str, frozenset[int]], _State] = {}
        self._remembered = 0

    def _first_state(self, before: str) -> _State:
        return self._state(_kind(before), (0,))

    def _state(self, before: str, positions: Iterable[int]) -> _State:
        key = before, frozenset(positions)
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = _State(*key)
        return found

    def _step(self, state: _State, c: str) -> tuple[_State, bool]:
        """The state behind a character, and whether a match ends before it."""
        reached: set[int] = set()
        taken = {
            position
            for start in state.positions
            for position in self._follow(start, state.before, c, reached)
        }
        ends = -1 in taken
        taken.discard(-1)
        self._remembered += len(taken) + 10
        if self._remembered > MAX_REMEMBERED:
            self._forget()
        following = self._state(_kind(c), taken)
        state.steps[c] = following, ends
        return following, ends

    def _follow(self, start: int, before: str, c: str, reached: set[int]) -> Iterator[int]:
        """The instructions behind a character that follow one, unless reached; -1 for a match."""
        behind = _kind(c)
        stack = [start]
        while stack:
            position = stack.pop()
            if position in reached:
                continue
            reached.add(position)
            word, *rest = self._code[position] if position < len(self._code) else ("match",)
            if word == "match":
                yield -1
            elif word == "set":
                items, negated = rest
                if c and negated is not any(has(item, ord(c)) for item in items):
                    yield position + 1
            elif word == "assert":
                if _holds(rest[0], before, behind):
                    stack.append(position + 1)
            else:
                stack += [position + end for end in rest]
