"""Names at a point of a rule, with the facts known about their values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from opmill_gen.rule_language.ir import Expression, Kind
from opmill_gen.rule_language.ranges import INT64, LENGTH, Interval
from opmill_gen.rule_language.relations import Form, atom, new_atom, proves

ABSENT = "absent"
PRESENT = "present"
_WITH_LENGTH = (Kind.INTS, Kind.FLOATS, Kind.STRS, Kind.TENSORS)
WHOLE = "whole"


@dataclass(frozen=True)
class Fact:
    """Something that holds on one side of a condition.

    ``subject`` is a name, ``X.rank``, ``X.size``, ``len(x)`` or, of an optional, ``given x``;
    ``knowledge`` is the interval of an integer, or a word: PRESENT and ABSENT of an optional, WHOLE
    of a float that int64 can hold. A ``Form`` is at least 0, and has no subject.
    """

    subject: str
    knowledge: Interval | str | Form


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
    form: Form | None = None
    """Linear form of an integer over atoms."""
    length_form: Form | None = None
    """Linear form of a list's length over atoms."""
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
    is_attribute: bool = False
    lacking: bool = False
    """Of an optional input: no version of the rule has it."""
    form: Form | None = None
    length_form: Form | None = None
    atom: str | None = None
    """Of a tensor: its name in the rule, which its rank and size are named after."""


@dataclass
class Scope:
    """The bindings and facts at a point; copied where paths part, merged where they meet."""

    bindings: dict[str, Binding] = field(default_factory=dict)
    facts: dict[str, Interval | str] = field(default_factory=dict)
    ended: bool = False
    relations: frozenset[Form] = frozenset()
    """Forms that are at least 0."""
    ranges: dict[str, Interval] = field(default_factory=dict)
    """What was known of each atom when it was made."""

    def copy(self) -> Scope:
        """An independent scope that knows the same."""
        ranges = dict(self.ranges)
        return Scope(dict(self.bindings), dict(self.facts), self.ended, self.relations, ranges)

    def bind(self, name: str, binding: Binding) -> None:
        """Give a name a value; what was known of its old value is forgotten."""
        self.bindings[name] = self._with_atoms(name, binding)
        for subject in (name, f"len({name})", given(name)):
            self.facts.pop(subject, None)

    def _with_atoms(self, name: str, binding: Binding) -> Binding:
        """The binding, with an atom for an integer or a length that is no form of others."""
        if binding.kind is Kind.INT and binding.form is None:
            return replace(binding, form=self.unknown(name, binding.interval))
        if binding.kind in _WITH_LENGTH and binding.length_form is None:
            return replace(binding, length_form=self.unknown(f"len({name})", binding.length))
        return binding

    def unknown(self, name: str, interval: Interval) -> Form:
        """A new atom of which an interval is known."""
        fresh = new_atom(name)
        self.ranges[fresh] = interval
        return atom(fresh)

    def proves(self, form: Form | None) -> bool:
        """Return whether a form is proven to be at least 0."""
        return proves(self.relations, self.ranges, form)

    def interval(self, subject: str | None, default: Interval) -> Interval:
        """Facts about an integer."""
        known = self.facts.get(subject) if subject else None
        return default.meet(known) if isinstance(known, Interval) else default

    def assume(self, facts: Iterable[Fact]) -> None:
        """Add what a condition has shown."""
        for fact in facts:
            if isinstance(fact.knowledge, Form):
                if fact.knowledge.terms:
                    self.relations |= {fact.knowledge}
                continue
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
            self.relations, self.ranges = other.relations, other.ranges
            return
        self.relations &= other.relations
        self.ranges = {**other.ranges, **self.ranges}
        merged: dict[str, Binding] = {}
        for name in {**self.bindings, **other.bindings}:
            mine, theirs = self.bindings.get(name), other.bindings.get(name)
            if mine is None or theirs is None:
                one = mine if mine is not None else other.bindings[name]
                merged[name] = replace(one, maybe_unset=True)
                continue
            both = replace(
                mine,
                own=mine.own and theirs.own,
                interval=mine.interval.union(theirs.interval),
                length=mine.length.union(theirs.length),
                items=mine.items.union(theirs.items),
                maybe_unset=mine.maybe_unset or theirs.maybe_unset,
                form=mine.form if mine.form == theirs.form else None,
                length_form=mine.length_form if mine.length_form == theirs.length_form else None,
            )
            merged[name] = self._with_atoms(name, both)
        facts: dict[str, Interval | str] = {}
        for subject, known in self.facts.items():
            also = other.facts.get(subject)
            if isinstance(known, Interval) and isinstance(also, Interval):
                facts[subject] = known.union(also)
            elif known == also and also is not None:
                facts[subject] = known
        self.bindings, self.facts = merged, facts
