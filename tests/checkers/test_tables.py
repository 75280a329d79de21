"""Tables of several versions: which cases hold for which, and how failures are reported.

The invented operator is spoiled in ways that the checks of a whole table must report by the names
of the version and of the case, and no case beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from opmill_checks.case import Example, Reject, tensor
from opmill_checks.table import (
    Version,
    check_examples,
    check_rejects,
    check_stated_defaults,
    check_types,
)
from stretch import ONCE, TWICE, Schema, ShapeError, Stretch, planted

SMALL = Example(
    name="small",
    inputs={
        "X": tensor("int32", [[0, 1], [2, 3]]),
        "count": tensor("int64", [2]),
        "B": tensor("int32", 1),
    },
    outputs={"Y": tensor("int32", [[1, 2], [1, 2], [3, 4], [3, 4]])},
)
NEGATIVE = Reject(
    name="negative",
    inputs={"X": tensor("int32", [1]), "count": tensor("int64", [-1])},
    raises="ShapeError",
    error="count[0] = -1 is negative",
)
EXAMPLES = [ONCE, TWICE, SMALL]


@dataclass
class Subtests:
    """The names of the cases that failed."""

    failed: list[str] = field(default_factory=list)

    @contextmanager
    def test(self, name: str) -> Iterator[None]:
        with pytest.raises(AssertionError):
            yield
        self.failed.append(name)


def version(operator: Any = None, **changes: Any) -> Version:
    """Return the invented operator with the facts that its table states."""
    stated = {
        "types": {"T": Schema().types},
        "accepted": {"X": "T", "count": ("int64",)},
        "mixed": {"B": "T"},
        "defaults": {"gain": 1},
    }
    return Version(operator or Stretch(), witness="small", **{**stated, **changes})


def failures(
    operator: Any = None,
    examples: Sequence[Example] = EXAMPLES,
    rejects: Sequence[Reject] = (NEGATIVE,),
    **changes: Any,
) -> list[str]:
    """Return the failures that the checks of examples, rejects and types report."""
    subtests, one = Subtests(), version(operator, **changes)
    check_examples(one, examples, subtests)
    check_rejects(one, rejects, subtests)
    check_types(one, examples, subtests)
    return subtests.failed


def test_a_right_operator_has_no_failure() -> None:
    each = replace(SMALL, name="each", inputs={**SMALL.inputs, "B": None}, outputs=TWOFOLD)
    assert failures(examples=[*EXAMPLES, replace(each, each_type="T")]) == []
    check_stated_defaults(version(), EXAMPLES)


TWOFOLD = {"Y": tensor("int32", [[0, 1], [0, 1], [2, 3], [2, 3]])}


def test_each_wrong_example_is_a_failure() -> None:
    def compute(self: Any, x: Any, count: int, b: Any, gain: int) -> Any:
        y = Stretch.compute(self, x, count, b, gain)
        return np.roll(y, 1, axis=0) if count > 1 else y

    spoiled = planted(compute=compute)
    assert failures(spoiled) == ["Stretch-4: twice", "Stretch-4: small"]


def test_a_call_that_is_not_refused_is_a_failure() -> None:
    def check(self: Any, x: Any, count: Any, b: Any) -> None:
        self.check_types([x, count, b])
        if count[0] < 0:
            raise ShapeError("Stretch-4: count is negative")

    assert failures(planted(check=check)) == ["Stretch-4: negative"]


def test_a_type_that_the_table_lacks_or_has_beside() -> None:
    more = planted(schema=replace(Schema(), types=(*Schema().types, "int8")))
    assert "Stretch-4: X of int8" in failures(more)
    fewer = planted(schema=replace(Schema(), types=("float", "int32", "string")))
    each = replace(SMALL, inputs={**SMALL.inputs, "B": None}, outputs=TWOFOLD, each_type="T")
    assert "Stretch-4: small of bool" in failures(fewer, examples=[each], mixed={})


def test_a_mixture_that_is_not_refused_is_a_failure() -> None:
    def check_types(self: Any, given: Any) -> None:
        Stretch.check_types(self, [*given[:2], None])

    assert set(failures(planted(check_types=check_types))) == {
        f"Stretch-4: B of {type} beside int32" for type in ("bool", "float", "string")
    }


def test_defaults_that_differ() -> None:
    with pytest.raises(AssertionError, match="the schema states the defaults"):
        check_stated_defaults(version(defaults={"gain": 2}), EXAMPLES)


@pytest.mark.parametrize(
    ("versions", "holds"), [(None, True), ({4}, True), ({1, 4}, True), ({1, 5}, False)]
)
def test_which_versions_a_case_holds_for(versions: set[int] | None, holds: bool) -> None:
    case = replace(ONCE, versions=None if versions is None else frozenset(versions))
    assert version().cases_of([case]) == ([case] if holds else [])


def test_outputs_of_the_oracle_are_not_asked_of_it_again() -> None:
    def oracle(*given: Any) -> Any:
        return {"Y": tensor("float", [9])}

    computed = replace(ONCE, origin="oracle")
    repeated = replace(computed, type="float")
    assert failures(examples=[*EXAMPLES, computed, repeated], oracle=oracle) == [
        f"Stretch-4: {one.name}" for one in EXAMPLES
    ]


def test_a_version_without_an_example_is_no_success() -> None:
    with pytest.raises(AssertionError, match="Stretch-4 has no example"):
        check_examples(version(), [replace(ONCE, versions=frozenset({5}))], Subtests())


def test_an_error_of_another_kind_is_a_failure_too() -> None:
    def compute(self: Any, *given: Any) -> Any:
        raise MemoryError

    @dataclass
    class Anything(Subtests):
        @contextmanager
        def test(self, name: str) -> Iterator[None]:
            with pytest.raises(AssertionError, match="raised MemoryError"):
                yield
            self.failed.append(name)

    subtests = Anything()
    check_examples(version(planted(compute=compute)), [ONCE], subtests)
    assert subtests.failed == ["Stretch-4: once"]
