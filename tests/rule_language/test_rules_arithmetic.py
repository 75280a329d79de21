"""Random arithmetic at the edges of int64: the emitted rule and the reference, value for value."""

from __future__ import annotations

import random

import pytest

import rules_executors as executors
import rules_reference as reference
from rules_arithmetic import source
from rules_executors import HEADER
from rules_programs import number
from rules_values import Given

pytestmark = pytest.mark.slow

EXPRESSIONS = 90
CALLS = 12


@pytest.mark.parametrize("batch", range(3))
def test_arithmetic(batch: int) -> None:
    rng = random.Random(batch)
    results: set[str | None] = set()
    values = 0
    for _ in range(EXPRESSIONS):
        text = source(rng)
        program = executors.program(text)
        plain, proving = executors.emitted(program), executors.proving(program)
        for _ in range(CALLS):
            inputs = [Given("X", "float", ())]
            attributes = {name: number(rng) for name in "abcd"}
            wanted = reference.run(text, inputs, attributes)
            assert executors.run(plain, inputs, attributes) == wanted, (text, attributes)
            assert executors.run(proving, inputs, attributes) == wanted, (text, attributes)
            results.add(wanted.message)
            values += wanted.plan is not None
    assert "Op-1: output size overflows, expected at most 2^63-1" in results
    assert values > EXPRESSIONS * CALLS / 8, "too few calls end in a value"
    assert len(results) > 30


EDGES = [
    # a, b: a + b, a - b, a * b, a // max(b, 1), a % max(b, 1), -a, abs(a); None where it overflows
    (2**63 - 1, 1, (None, 2**63 - 2, 2**63 - 1, 2**63 - 1, 0, -(2**63) + 1, 2**63 - 1)),
    (-(2**63), 1, (-(2**63) + 1, None, -(2**63), -(2**63), 0, None, None)),
    (-(2**63), -1, (None, -(2**63) + 1, None, -(2**63), 0, None, None)),
    (-7, 3, (-4, -10, -21, -3, 2, 7, 7)),
    (2**32, 2**31, (6442450944, 2**31, None, 2, 0, -(2**32), 2**32)),
    (-(2**32), 2**31, (-(2**31), -6442450944, -(2**63), -2, 0, 2**32, 2**32)),
    (3037000500, 3037000500, (6074001000, 0, None, 1, 0, -3037000500, 3037000500)),
    (0, -(2**63), (-(2**63), None, 0, 0, 0, 0, 0)),
]
STEPS = ("a + b", "a - b", "a * b", "a // max(b, 1)", "a % max(b, 1)", "-a", "abs(a)")


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_steps_at_the_edges(step: int) -> None:
    text = (
        f"{HEADER}\ndef rules(X: Tensor, *, a: int, b: int) -> None:\n"
        f"    plan(r={STEPS[step]})\n    output(Y=[])\n"
    )
    rules = executors.emitted(executors.program(text))
    for a, b, results in EDGES:
        done = executors.run(rules, [Given("X", "float", ())], {"a": a, "b": b})
        overflow = (
            None
            if results[step] is not None
            else ("Op-1: output size overflows, expected at most 2^63-1")
        )
        assert (done.plan, done.message) == (
            (overflow is None and {"r": results[step]}) or None,
            overflow,
        )
