"""Random rule files: what is emitted does what the file does, and what the compiler proved holds.

Each program is run three times: by the reference executor, as emitted, and as emitted with a check
wherever the compiler left one out because it had proved it needless.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

import rules_executors as executors
import rules_reference as reference
from opmill_gen.base.diagnostics import InputError
from rules_programs import Writer, call

pytestmark = pytest.mark.slow

PROGRAMS = 30
CALLS = 8
BATCHES = 4


@pytest.mark.parametrize("batch", range(BATCHES))
def test_programs(batch: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(batch * PROGRAMS, (batch + 1) * PROGRAMS):
        source = Writer(seed).file()
        try:
            program = executors.program(source)
        except InputError:
            seen["refused"] += 1
            continue
        plain, proving = executors.emitted(program), executors.proving(program)
        rng = random.Random(seed)
        for _ in range(CALLS):
            inputs, attributes = call(rng)
            wanted = reference.run(source, inputs, attributes)
            for rules in (plain, proving):
                assert executors.run(rules, inputs, attributes) == wanted, source
            seen[wanted.error or "shapes"] += 1
    assert seen["refused"] < 0.7 * PROGRAMS, "too few of the random files are of the language"
    for kind in ("shapes", "ShapeError", "AttributeValueError", "TypeConstraintError"):
        assert seen[kind] > 5, f"too few calls end in {kind}"
