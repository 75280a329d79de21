"""Names at a point of a rule, with the facts known about their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from opmill_gen.rule_language.ir import Expression, Kind
from opmill_gen.rule_language.ranges import INT64, LENGTH, Interval
from opmill_gen.rule_language.relations import Form, atom, bounds, new_atom, proves

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
    below: frozenset[Form] = frozenset()
    """Of a list of integers: forms that every one of them is less than."""
    identity: str | None = None
    """Of a list or tensor that never changes: its name among atoms."""
    lists: frozenset[str] = frozenset()
    """The local lists, which can change, whose memory this value may share."""
    when_true: tuple[Fact, ...] = ()
    when_false: tuple[Fact, ...] = ()

    @property
    def atoms(self) -> frozenset[str]:
        """The atoms of which the forms are."""
        forms = {form for form in (self.form, self.length_form) if form is not None}
        return frozenset().union(*(form.atoms for form in forms | self.below))


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
    below: frozenset[Form] = frozenset()
    identity: str | None = None
    atom: str | None = None
    """Of a tensor: its name in the rule, which its rank and size are named after."""


def common_ends(lists: Sequence[tuple[Value | Binding, Scope]]) -> frozenset[Form]:
    """Return what the integers of one of several lists are less than, each in its scope."""
    ends = frozenset().union(*(one.below for one, _ in lists))
    return frozenset(end for end in ends if all(_ends(one, end, where) for one, where in lists))


def _ends(one: Value | Binding, end: Form, where: Scope) -> bool:
    """Return whether the integers of a list are less than a form; an empty list has none."""
    return one.length.high == 0 or any(
        end == known or where.proves(end.plus(known, -1)) for known in one.below
    )


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
        self.bindings[name] = replace(self._with_atoms(name, binding), identity=new_atom(name))
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

    def joined(self, name: str, sides: Sequence[tuple[Form | None, Scope]]) -> Form | None:
        """Return an atom for a value that is one of several, each in the scope where it is chosen.

        What is known of one of them, perhaps but for 1, and proven of all others is known of the
        atom.
        """
        known = [(form, where) for form, where in sides if form is not None]
        if len(known) < len(sides):
            return None
        for form, _ in known:
            if all(where.equal(form, each) for each, where in known):
                return form
        fresh = atom(new_atom(name))
        for form, where in known:
            for times, exact in bounds(form, where.relations):
                for rest in (exact, exact.shifted(1)):
                    if all(other.proves(rest.plus(each, times)) for each, other in known):
                        self.relations |= {rest.plus(fresh, times)}
                        break
        return fresh

    def equal(self, one: Form, other: Form) -> bool:
        """Return whether two forms are proven to be equal."""
        return one == other or (
            self.proves(one.plus(other, -1)) and self.proves(other.plus(one, -1))
        )

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
                below=common_ends(((mine, self), (theirs, other))),
                identity=mine.identity if mine.identity == theirs.identity else None,
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
