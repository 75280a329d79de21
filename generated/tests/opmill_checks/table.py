"""An operator's table: its versions, and which of its examples and rejects hold for each.

A generated module has a test of each kind for every version and backend, and the cases are subtests
of it. A case that passes opens none: reports of 200,000 of them would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from opmill_checks.case import Example, Reject, for_each_type, other_types
from opmill_checks.compare import Accuracy
from opmill_checks.interface import Operator, Oracle, label
from opmill_checks.parameters import with_parameters
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
            whose calls no table can write.
        oracle: the independent computation of its family, if there is one; one that takes
            ``defaults`` or ``output_names`` receives these.
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

    def __post_init__(self) -> None:
        if self.oracle is not None:
            names = tuple(output.name for output in self.operator.schema.outputs)
            known = {"defaults": self.defaults, "output_names": names}
            object.__setattr__(self, "oracle", with_parameters(self.oracle, known))

    @property
    def number(self) -> int:
        return int(self.operator.schema.since_version)

    def cases_of(self, table: Sequence[Case]) -> list[Case]:
        """The cases of the operator's table that hold for this version."""
        return [
            case
            for case in table
            if case.since <= self.number and (case.until is None or self.number <= case.until)
        ]

    def witness_of(self, examples: Sequence[Example]) -> Example:
        """The example whose types are varied."""
        (found,) = (one for one in self.cases_of(examples) if one.name == self.witness)
        return found

    def elements(self, types: Types) -> Sequence[str]:
        """Element types, given as such or by their type variable."""
        return self.types[types] if isinstance(types, str) else types


def check_examples(version: Version, examples: Sequence[Example], subtests: Any) -> None:
    """Every example of the version holds."""
    check = partial(check_example, version.operator)
    cases = version.cases_of(examples)
    if not cases and version.witness:
        raise AssertionError(f"{label(version.operator)} has no example")
    run_cases(
        version,
        ((one.name, partial(check, one, version.oracle, version.accuracy)) for one in cases),
        subtests,
    )


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
    for example, element in for_each_type(version.cases_of(examples), version.types):
        yield (
            f"{example.name} of {element}",
            partial(
                check_each_type,
                version.operator,
                example,
                element,
                version.oracle,
                version.accuracy,
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
