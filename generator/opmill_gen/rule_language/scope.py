"""What names stand for at a point of a rule, and what is known of them there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from opmill_gen.rule_language.ir import Expression, Kind
from opmill_gen.rule_language.ranges import INT64, LENGTH, Interval

ABSENT = "absent"
PRESENT = "present"
WHOLE = "whole"


@dataclass(frozen=True)
class Fact:
    """Something that holds on one side of a condition.

    ``subject`` is a name, ``X.rank``, ``X.size``, ``len(x)`` or, of an optional, ``given x``;
    ``knowledge`` is the interval of an integer, or a word: PRESENT and ABSENT of an optional, WHOLE
    of a float that int64 can hold.
    """

    subject: str
    knowledge: Interval | str


def given(name: str) -> str:
    """The subject of whether an optional is given, which is apart from what its value is."""
    return f"given {name}"


@dataclass(frozen=True)
class Value:
    """A typed expression and what is known of its value."""

    expression: Expression
    kind: Kind
    interval: Interval = INT64
    length: Interval = LENGTH
    items: Interval = INT64
    subject: str | None = None
    length_subject: str | None = None
    lists: frozenset[str] = frozenset()
    """The local lists, which can change, whose memory this value may share."""
    when_true: tuple[Fact, ...] = ()
    when_false: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Binding:
    """A name that has a value. ``own`` says of a list that it is a local one, which can change."""

    kind: Kind
    optional: bool = False
    own: bool = False
    interval: Interval = INT64
    length: Interval = LENGTH
    items: Interval = INT64
    maybe_unset: bool = False
    constant: int | bool | str | None = None
    counts_outputs: bool = False


@dataclass
class Scope:
    """The bindings and facts at a point; copied where paths part, merged where they meet."""

    bindings: dict[str, Binding] = field(default_factory=dict)
    facts: dict[str, Interval | str] = field(default_factory=dict)
    ended: bool = False

    def copy(self) -> Scope:
        """An independent scope that knows the same."""
        return Scope(dict(self.bindings), dict(self.facts), self.ended)

    def bind(self, name: str, binding: Binding) -> None:
        """Give a name a value; what was known of its old value is forgotten."""
        self.bindings[name] = binding
        for subject in (name, f"len({name})", given(name)):
            self.facts.pop(subject, None)

    def interval(self, subject: str | None, default: Interval) -> Interval:
        """What is known of an integer."""
        known = self.facts.get(subject) if subject else None
        return default.meet(known) if isinstance(known, Interval) else default

    def assume(self, facts: Iterable[Fact]) -> None:
        """Add what a condition has shown."""
        for fact in facts:
            known = self.facts.get(fact.subject)
            if isinstance(fact.knowledge, Interval) and isinstance(known, Interval):
                self.facts[fact.subject] = known.meet(fact.knowledge)
            else:
                self.facts[fact.subject] = fact.knowledge

    def merge(self, other: Scope) -> None:
        """Keep what holds in both; a scope that has ended (by a return) says nothing."""
        if other.ended:
            return
        if self.ended:
            self.bindings, self.facts, self.ended = other.bindings, other.facts, False
            return
        merged: dict[str, Binding] = {}
        for name in {**self.bindings, **other.bindings}:
            mine, theirs = self.bindings.get(name), other.bindings.get(name)
            if mine is None or theirs is None:
                one = mine if mine is not None else other.bindings[name]
                merged[name] = replace(one, maybe_unset=True)
                continue
            merged[name] = replace(
                mine,
                own=mine.own and theirs.own,
                interval=mine.interval.union(theirs.interval),
                length=mine.length.union(theirs.length),
                items=mine.items.union(theirs.items),
                maybe_unset=mine.maybe_unset or theirs.maybe_unset,
            )
        facts: dict[str, Interval | str] = {}
        for subject, known in self.facts.items():
            also = other.facts.get(subject)
            if isinstance(known, Interval) and isinstance(also, Interval):
                facts[subject] = known.union(also)
            elif known == also and also is not None:
                facts[subject] = known
        self.bindings, self.facts = merged, facts
