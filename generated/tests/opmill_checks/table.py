"""An operator version, and which of the operator's examples and rejects hold for it.

There is a test of each kind for every version and backend, and the cases are subtests of it. A case
that passes opens none: reports of 200,000 of them would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from opmill_checks.case import Example, Reject, for_each_type, other_types
from opmill_checks.compare import Accuracy
from opmill_checks.interface import Operator, Oracle, label
from opmill_checks.run import check_example, check_reject
from opmill_checks.signature import (
    check_defaults,
    check_each_type,
    check_refuses_mixture,
    check_refuses_type,
)

Case = TypeVar("Case", Example, Reject)

Cases = Iterable[tuple[str, Callable[[], None]]]
"""The name of each case, and its check."""

Types = str | Sequence[str]
"""Element types, or the type variable that has them."""


@dataclass(frozen=True)
class Version:
    """An operator version, and what its spec states beside examples and rejects.

    Args:
        operator: what computes it.
        witness: the name of the example whose types are varied; empty for an operator with maps,
            whose calls no case can say.
        oracle: the independent computation of its family, if there is one.
        accuracy: the tolerance of each type; a type that is not in it is exact.
        types: the element types of each type variable; ``seq(T)`` has those of T's sequences.
        accepted: the types of each input, but for inputs that take the type of an earlier one.
        mixed: the types of each input that must have the type of an earlier one.
        defaults: of the attributes that have one.
    """

    operator: Operator
    witness: str
    oracle: Oracle | None = None
    accuracy: Accuracy = field(default_factory=dict)
    types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    accepted: Mapping[str, Types] = field(default_factory=dict)
    mixed: Mapping[str, Types] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def number(self) -> int:
        return int(self.operator.schema.since_version)

    def cases_of(self, table: Sequence[Case]) -> list[Case]:
        """The cases of the operator that hold for this version."""
        return [case for case in table if case.versions is None or self.number in case.versions]

    def witness_of(self, examples: Sequence[Example]) -> Example:
        """The example whose types are varied."""
        plain = (one for one in self.cases_of(examples) if one.type is None)
        (found,) = (one for one in plain if one.name == self.witness)
        return found

    def elements(self, types: Types) -> Sequence[str]:
        """Element types, given as such or by their type variable."""
        return self.types[types] if isinstance(types, str) else types


def check_examples(version: Version, examples: Sequence[Example], subtests: Any) -> None:
    """Every example of the version holds."""
    cases = [one for one in version.cases_of(examples) if one.type is None]
    if not cases and version.witness:
        raise AssertionError(f"{label(version.operator)} has no example")
    turns = [*[None] * THOROUGH, *range(len(cases))]
    checks = (
        (one.name, _check_of(version, one, turn)) for one, turn in zip(cases, turns, strict=False)
    )
    run_cases(version, checks, subtests)


THOROUGH = 2
"""The examples of a version that are tried in every way; the others take turns."""


def _check_of(version: Version, example: Example, turn: int | None) -> Callable[[], None]:
    """The check of an example; outputs that the oracle computed are not asked of it again."""
    oracle = None if example.origin == "oracle" else version.oracle
    return partial(check_example, version.operator, example, oracle, version.accuracy, turn)


def check_rejects(version: Version, rejects: Sequence[Reject], subtests: Any) -> None:
    """Every reject of the version is refused in its words."""
    run_cases(
        version,
        (
            (one.name, partial(check_reject, version.operator, one))
            for one in version.cases_of(rejects)
        ),
        subtests,
    )


def check_types(version: Version, examples: Sequence[Example], subtests: Any) -> None:
    """Examples that say so hold in each type of their variable, and no other type is accepted."""
    if not version.witness:
        return
    operator = version.operator
    witness = version.witness_of(examples)
    run_cases(version, _each_type(version, examples), subtests)
    for name, types in version.accepted.items():
        allowed = version.elements(types)
        run_cases(
            version,
            (
                (
                    f"{name} of {element}",
                    partial(check_refuses_type, operator, witness, name, element, allowed),
                )
                for element in other_types(allowed)
            ),
            subtests,
        )
    for name, types in version.mixed.items():
        given: Any = witness.inputs[name]
        run_cases(
            version,
            (
                (
                    f"{name} of {element} beside {given.type}",
                    partial(check_refuses_mixture, operator, witness, name, element),
                )
                for element in version.elements(types)
                if element != given.type
            ),
            subtests,
        )


def _each_type(version: Version, examples: Sequence[Example]) -> Cases:
    cases = version.cases_of(examples)
    of_types = [example for example in cases if example.type is not None]
    for turn, example in enumerate(of_types):
        yield f"{example.name} of {example.type}", _check_of(version, example, turn)
    for turn, (example, element) in enumerate(for_each_type(cases, version.types)):
        yield (
            f"{example.name} of {element}",
            partial(
                check_each_type,
                version.operator,
                example,
                element,
                version.oracle,
                version.accuracy,
                turn,
            ),
        )


def check_stated_defaults(version: Version, examples: Sequence[Example]) -> None:
    """The schema states the defaults of the table, and stating them in a call changes nothing."""
    if version.witness:
        check_defaults(version.operator, version.witness_of(examples), version.defaults)


def run_cases(version: Version, cases: Cases, subtests: Any) -> None:
    """Run the checks; each that fails is a subtest that names the version and the case."""
    for name, check in cases:
        try:
            check()
        except Exception:
            with subtests.test(f"{label(version.operator)}: {name}"):
                raise
