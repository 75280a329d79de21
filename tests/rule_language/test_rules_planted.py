"""The suites of the rule language are worth something: planted bugs of the compiler are noticed.

Some are bugs that the compiler has had.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rules_executors as executors
import rules_reference as reference
from opmill._runtime import rule_support
from opmill_gen.base.diagnostics import InputError
from opmill_gen.rule_language import (
    conditions,
    expressions,
    ir,
    ir_expressions,
    program,
    ranges,
    scope,
    statements,
)
from opmill_gen.rule_language.ir import ArithmeticOperator, Kind, Relation
from opmill_gen.rule_language.ranges import Interval
from rules_arithmetic import source
from rules_cases import CASES
from rules_faults import FAULTS
from rules_faulty import expected, faults_of
from rules_programs import SIGNED, Writer, call
from rules_values import Given
from selection import some

pytestmark = pytest.mark.slow

emitter: Any = importlib.import_module("opmill_gen.rule_language.emit_python")
Emitter = emitter._Emitter
Patch = Callable[[pytest.MonkeyPatch], None]


def probes() -> Iterator[bool]:
    """True if each of the suites' cases comes out as it should, a part of the random ones."""
    for case in CASES.values():
        program = executors.program(case.source, case.constants)
        for rules in (executors.emitted(program), executors.proving(program)):
            for given, result in case.calls:
                yield executors.run(rules, *case.arguments(given)) == case.outcome(result)
    for marked, *messages in FAULTS.values():
        text, faults = expected(marked, tuple(messages))
        yield faults_of(text) == faults
    rng = random.Random(0)
    for _ in range(15):
        text = source(rng)
        calls = [{name: rng.choice(SIGNED) for name in "abcd"} for _ in range(6)]
        scalar = [Given("X", "float", ())]
        yield from agreements(text, [(scalar, attributes) for attributes in calls])
    for seed in range(25):
        rng = random.Random(seed)
        yield from agreements(Writer(seed).file(), [call(rng) for _ in range(5)])


def agreements(text: str, calls: list[tuple[list[Any], dict[str, Any]]]) -> Iterator[bool]:
    try:
        program = executors.program(text)
    except InputError:
        return
    rules = executors.proving(program)
    for inputs, attributes in calls:
        yield executors.run(rules, inputs, attributes) == reference.run(text, inputs, attributes)


def noticed() -> bool:
    try:
        return not all(probes())
    except Exception:
        return True


def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    """A patch that puts something in place of an attribute, made from what was there."""
    return lambda monkeypatch: monkeypatch.setattr(owner, name, make(getattr(owner, name)))


def entry(table: dict[Any, Any], key: Any, value: Any) -> Patch:
    return lambda monkeypatch: monkeypatch.setitem(table, key, value)


def narrowed(relation: Relation, **shift: int) -> Callable[[Any], Any]:
    """A ``refine`` that knows too much of one relation."""

    def make(old: Any) -> Any:
        def refine(given: Relation, a: Interval, b: Interval) -> Interval:
            found: Interval = old(given, a, b)
            if given is not relation:
                return found
            return Interval(found.low + shift.get("low", 0), found.high - shift.get("high", 0))

        return refine

    return make


def arithmetic(
    operator: ArithmeticOperator, wrong: Callable[..., Interval]
) -> Callable[[Any], Any]:
    def make(old: Any) -> Any:
        return lambda given, a, b: wrong(a, b) if given is operator else old(given, a, b)

    return make


def shown_plainly(old: Any) -> Any:
    return lambda self, value: self.text(value) if value.kind is Kind.STR else old(self, value)


def shorter_slices(old: Any) -> Any:
    def atom(self: Any, value: ir.Expression) -> str:
        text: str = old(self, value)
        return text.replace(":]", ":-1]") if isinstance(value, ir.Tail) else text

    return atom


def joined_backwards(old: Any) -> Any:
    return lambda value: list(reversed(old(value)))


def last_left_out(old: Any) -> Any:
    def statement(self: Any, given: ir.Statement) -> list[str]:
        lines: list[str] = old(self, given)
        if isinstance(given, ir.For):
            lines[0] = lines[0].replace("):", " - 1):")
        return lines

    return statement


ADD, SUBTRACT, MULTIPLY = list(ArithmeticOperator)[:3]
FLOOR_DIVIDE, MODULO = list(ArithmeticOperator)[3:]

PLANTED: dict[str, Patch] = {
    # What is emitted
    "a relation is negated wrongly": entry(
        ir_expressions._NEGATED, Relation.LESS, Relation.GREATER
    ),
    "NaN is forgotten": replaced(emitter, "_invertible", lambda old: lambda *_: True),
    "checks are left out": replaced(
        Emitter, "checked", lambda old: lambda self, source, level, checked: (level, source)
    ),
    "indices are not checked": replaced(
        Emitter, "index", lambda old: lambda self, values, index, known: self.text(index)
    ),
    "slices are one too short": replaced(Emitter, "atom", shorter_slices),
    "lists are joined backwards": replaced(emitter, "_joined", joined_backwards),
    "loops end early": replaced(Emitter, "statement", last_left_out),
    "hostile texts are shown as they are": replaced(Emitter, "shown", shown_plainly),
    "taken names are kept": replaced(Emitter, "name", lambda old: lambda self, name: name),
    "sums bind like products": replaced(
        emitter,
        "_ARITHMETIC_LEVEL",
        lambda old: dict.fromkeys(old, emitter._PRODUCT),
    ),
    "floor and ceil are swapped": entry(
        emitter._FROM_RUNTIME, ir.Function.FLOOR, emitter._FROM_RUNTIME[ir.Function.CEIL]
    ),
    "ceil loses the sign of zero": replaced(
        rule_support, "ceiled", lambda old: lambda value: old(value) + 0.0
    ),
    "a division by -0.0 is one by 0.0": replaced(
        rule_support, "divided", lambda old: lambda a, b: old(a, abs(b) if b == 0 else b)
    ),
    "floats are rounded twice": replaced(
        rule_support,
        "rounded",
        lambda old: lambda value, type: old(old(value, "float"), type),
    ),
    "narrow integers have no bound": replaced(rule_support, "MAX_LIST", lambda old: 10**9),
    # What is read
    "division and modulo are swapped": entry(
        expressions._OPERATORS, importlib.import_module("ast").FloorDiv, MODULO
    ),
    "floats are added where they are subtracted": entry(
        expressions._FLOAT_OPERATORS, importlib.import_module("ast").Sub, ir.FloatOperator.ADD
    ),
    "not is forgotten": replaced(conditions, "_negated", lambda old: lambda given: given),
    "any list may have a second name": replaced(
        program, "local_lists", lambda old: lambda body: set()
    ),
    # What is known of integers
    "< leaves one too few": replaced(conditions, "refine", narrowed(Relation.LESS, high=1)),
    "<= leaves one too few": replaced(conditions, "refine", narrowed(Relation.LESS_EQUAL, high=1)),
    ">= leaves one too few": replaced(
        conditions, "refine", narrowed(Relation.GREATER_EQUAL, low=1)
    ),
    "!= is taken for ==": replaced(
        conditions,
        "refine",
        lambda old: (
            lambda given, a, b: a.meet(b) if given is Relation.UNEQUAL else old(given, a, b)
        ),
    ),
    "a comparison is mirrored wrongly": entry(conditions.MIRRORED, Relation.LESS, Relation.LESS),
    "products of mixed signs": replaced(
        expressions,
        "arithmetic",
        arithmetic(MULTIPLY, lambda a, b: Interval(a.low * b.low, a.high * b.high)),
    ),
    "differences like sums": replaced(
        expressions,
        "arithmetic",
        arithmetic(SUBTRACT, lambda a, b: Interval(a.low - b.low, a.high - b.high)),
    ),
    "quotients towards zero": replaced(
        expressions,
        "arithmetic",
        arithmetic(FLOOR_DIVIDE, lambda a, b: Interval(max(a.low, 0), max(a.high, 0))),
    ),
    "remainders that reach the divisor": replaced(
        expressions, "arithmetic", arithmetic(MODULO, lambda a, b: Interval(1, b.high))
    ),
    "no size is above 2^60": replaced(expressions, "DIM", lambda old: ranges.LENGTH),
    "every index is taken for proven": replaced(
        expressions,
        "proven",
        lambda old: lambda index, values, scope: (old(index, values, scope)[0], True),
    ),
    # What is known where paths part and meet
    "facts survive another value": replaced(
        scope.Scope,
        "bind",
        lambda old: lambda self, name, binding: self.bindings.__setitem__(name, binding),
    ),
    "only one side counts": replaced(Interval, "union", lambda old: lambda self, other: self),
    "a path that ends counts as the other": replaced(
        scope.Scope, "merge", lambda old: lambda self, other: None
    ),
    "a loop forgets nothing": replaced(statements, "assigned", lambda old: lambda body: set()),
    "a loop forgets no element": replaced(statements, "stored", lambda old: lambda body: set()),
    "lists do not grow in loops": replaced(statements, "appends", lambda old: lambda body: {}),
}


def test_nothing_is_noticed_without_a_bug() -> None:
    assert all(probes())


@pytest.mark.parametrize("name", some(PLANTED, 3))
def test_planted_bug_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    PLANTED[name](monkeypatch)
    assert noticed()
