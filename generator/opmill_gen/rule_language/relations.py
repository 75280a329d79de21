"""Linear relations between integers of a rule: ``i < len(x)``, ``len(a) == len(b)``.

An atom is a value that never changes: what a name has from one assignment to the next, the length
of a list, a tensor's rank. A relation says of a linear form over atoms that it is at least 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from opmill_gen.rule_language.ir import Relation
from opmill_gen.rule_language.ranges import INT64, Interval

_STEPS = 4
"""Maximum number of relations that one proof adds up: rules need two or three."""

_numbers = count()


@dataclass(frozen=True)
class Form:
    """``constant`` + the sum of each atom times its coefficient, none of which is 0."""

    constant: int
    terms: frozenset[tuple[str, int]] = frozenset()

    @property
    def atoms(self) -> frozenset[str]:
        """The atoms of the form."""
        return frozenset(name for name, _ in self.terms)

    def plus(self, other: Form, times: int = 1) -> Form:
        """``self + times * other``."""
        terms = dict(self.terms)
        for atom, coefficient in other.terms:
            terms[atom] = terms.get(atom, 0) + times * coefficient
        kept = frozenset((atom, each) for atom, each in terms.items() if each)
        return Form(self.constant + times * other.constant, kept)

    def shifted(self, number: int) -> Form:
        """``self + number``."""
        return Form(self.constant + number, self.terms)


def atom(name: str) -> Form:
    """The form of an atom that has a name of its own, as a tensor's rank."""
    return Form(0, frozenset({(name, 1)}))


def new_atom(name: str) -> str:
    """An atom for the value that a name is given now."""
    return f"{name}#{next(_numbers)}"


def total(left: Form | None, right: Form | None, times: int = 1) -> Form | None:
    """``left + times * right``, where both are known."""
    return None if left is None or right is None else left.plus(right, times)


def product(left: Form | None, right: Form | None) -> Form | None:
    """The product, where one of the two is a constant."""
    if left is None or right is None:
        return None
    if right.terms:
        left, right = right, left
    return None if right.terms else Form(0).plus(left, right.constant)


def compared(left: Form | None, relation: Relation, right: Form | None) -> tuple[Form, ...]:
    """The forms that are at least 0 where ``left relation right`` holds."""
    if left is None or right is None or relation is Relation.UNEQUAL:
        return ()
    more, less = right.plus(left, -1), left.plus(right, -1)
    return {
        Relation.EQUAL: (more, less),
        Relation.LESS: (more.shifted(-1),),
        Relation.LESS_EQUAL: (more,),
        Relation.GREATER: (less.shifted(-1),),
        Relation.GREATER_EQUAL: (less,),
    }[relation]


def key(form: Form) -> str:
    """Return a text that is the same for equal forms."""
    terms = (f"{times}*{name}" for name, times in sorted(form.terms))
    return " + ".join((str(form.constant), *terms))


def bounds(form: Form, relations: frozenset[Form]) -> Iterator[tuple[int, Form]]:
    """Find what relations say of a form: each ``(times, rest)`` with ``times * form + rest >= 0``.

    That it is at least and at most itself is among them.
    """
    yield 1, Form(0).plus(form, -1)
    yield -1, form
    if len(form.terms) != 1:
        return
    ((name, coefficient),) = form.terms
    if coefficient != 1:
        return
    for relation in relations:
        times = dict(relation.terms).get(name, 0)
        if times:
            yield times, relation.plus(form, -times)


def upper_ends(
    form: Form | None, relations: frozenset[Form], ranges: Mapping[str, Interval]
) -> frozenset[Form]:
    """Return the forms that an integer is known to be less than."""
    if form is None:
        return frozenset()
    ends = {rest for times, rest in bounds(form, relations) if times == -1}
    more = Form(form.constant, frozenset(term for term in form.terms if term[1] > 0))
    if proves(relations, ranges, more.plus(form, -1)):
        ends.add(more)
    return frozenset(end.shifted(1) for end in ends)


def proves(
    relations: frozenset[Form],
    ranges: Mapping[str, Interval],
    form: Form | None,
    steps: int = _STEPS,
) -> bool:
    """True if a form is proven to be at least 0: by the ranges of atoms, or less by relations.

    Where ``form - k * relation`` is at least 0 for a k of at least 1, so is the form.
    """
    if form is None:
        return False
    if _lowest(form, ranges) >= 0:
        return True
    if steps == 0:
        return False
    wanted = dict(form.terms)
    for relation in relations:
        for name, coefficient in relation.terms:
            times, rest = divmod(wanted.get(name, 0), coefficient)
            if times >= 1 and rest == 0:
                shorter = form.plus(relation, -times)
                if proves(relations - {relation}, ranges, shorter, steps - 1):
                    return True
    return False


def _lowest(form: Form, ranges: Mapping[str, Interval]) -> int:
    lowest = form.constant
    for name, coefficient in form.terms:
        known = ranges.get(name, INT64)
        lowest += coefficient * (known.low if coefficient > 0 else known.high)
    return lowest
