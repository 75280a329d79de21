"""What a loop appends to lists: how long they are behind it, and what their integers are below."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from opmill_gen.rule_language.changes import appends, stored
from opmill_gen.rule_language.ranges import Interval
from opmill_gen.rule_language.relations import Form, total, upper_ends
from opmill_gen.rule_language.scope import Scope, Value

_OF_TENSORS = (".rank", ".size")
"""Endings of atoms that belong to tensors, whatever the point where they are first read."""


@dataclass
class Appended:
    """Record of the integers that the rounds of a loop append.

    ``before`` is the scope before the loop.
    """

    before: Scope
    items: dict[str, Interval] = field(default_factory=dict)
    below: dict[str, frozenset[Form]] = field(default_factory=dict)

    def add(self, name: str, value: Value, scope: Scope) -> None:
        """Record an integer that is appended at a point of the loop."""
        old = self.before.bindings.get(name)
        ends = upper_ends(value.form, scope.relations, scope.ranges)
        if old is not None:
            ends |= still_below(old.below, value, scope)
        self.items[name] = self.items.get(name, value.interval).union(value.interval)
        self.below[name] = self.below.get(name, ends) & ends

    def settle(
        self, body: list[ast.stmt], names: Collection[str], rounds: Form | None, scope: Scope
    ) -> None:
        """Assume behind the loop what holds of the lists that it has lengthened."""
        for name in set(names) - stored(body):
            old, new = self.before.bindings[name], scope.bindings[name]
            ends = self.below.get(name, frozenset())
            lasting = frozenset(end for end in ends if all(map(self.lasts, end.atoms)))
            scope.bindings[name] = replace(
                new,
                items=old.items.union(self.items.get(name, old.items)),
                below=lasting if old.length.high == 0 else lasting & old.below,
            )
            each = _each_round(body, name)
            if each and rounds is not None and self.before.proves(rounds):
                longer = total(old.length_form, rounds, each)
                scope.bindings[name] = replace(scope.bindings[name], length_form=longer)

    def lasts(self, atom: str) -> bool:
        """Return whether an atom is not one of a single round."""
        return atom in self.before.ranges or atom.endswith(_OF_TENSORS)


def still_below(ends: frozenset[Form], value: Value, scope: Scope) -> frozenset[Form]:
    """Return those of some forms that an integer is proven to be less than."""
    if value.form is None:
        return frozenset()
    return frozenset(end for end in ends if scope.proves(end.plus(value.form, -1).shifted(-1)))


def _each_round(body: list[ast.stmt], name: str) -> int:
    """Return how often every round appends to a list; 0 where that depends on conditions."""
    always = [
        statement
        for statement in body
        if isinstance(statement, ast.Expr) and name in appends([statement])
    ]
    count, _, _ = appends(body).get(name, (0, None, False))
    return count if len(always) == count else 0
