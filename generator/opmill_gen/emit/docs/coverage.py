"""Support and its tests: operator x version x type x backend, with denominators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opmill_gen.base.cache import Figures, digest_of_value
from opmill_gen.base.onnx_types import (
    ConcreteType,
    OptionalType,
    SequenceType,
    TensorType,
    TypeVariable,
)
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.docs.made_of import made_of
from opmill_gen.load.test_records import Records
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.operator_version import OperatorVersion, Parameter


@dataclass(frozen=True)
class TypeCoverage:
    """One type of a version: why backends lack it, by their names, and its examples."""

    type: str
    gaps: Mapping[str, str]
    examples: int


@dataclass(frozen=True)
class VersionCoverage:
    """One operator version and the numbers of what tests it."""

    domain: str
    operator: str
    version: int
    types: tuple[TypeCoverage, ...]
    examples: int
    rejects: int
    onnx_tests: int
    differential_calls: int
    c_executions: int
    made_of: str
    """The digest that records of this version carry."""
    stale: tuple[str, ...]
    """The kinds of its records that were made of other code."""


@dataclass(frozen=True)
class DomainCoverage:
    """Support of a domain: the published operators, and the versions of each."""

    domain: str
    release: str | None
    published: dict[str, tuple[int, ...]]
    supported: dict[str, tuple[int, ...]]

    @property
    def published_versions(self) -> int:
        """The denominator of versions."""
        return sum(map(len, self.published.values()))

    @property
    def supported_versions(self) -> int:
        """Its numerator."""
        return sum(map(len, self.supported.values()))


def coverage_of(version: CheckedVersion, records: Records, figures: Figures) -> VersionCoverage:
    """The numbers of one version.

    Those of its types look at every example, which is long for all versions: they are figures.
    """
    spec = version.spec
    digest = made_of(version, figures)
    types = figures.of(
        digest_of_value(["coverage of types", version.digest]),
        lambda: [[t.type, t.gaps, t.examples] for t in types_of(version)],
    )
    return VersionCoverage(
        domain=spec.domain,
        operator=spec.operator,
        version=spec.since_version,
        types=tuple(TypeCoverage(*fields) for fields in types),
        examples=len(spec.examples),
        rejects=len(spec.rejects),
        onnx_tests=records.onnx_tests(spec),
        differential_calls=records.differential_calls(spec),
        c_executions=records.c_executions(spec),
        made_of=digest,
        stale=records.stale(spec, digest),
    )


def domains(checked: Checked) -> list[DomainCoverage]:
    """Every domain that has an index."""
    found = []
    for domain, index in sorted(checked.indexes.items()):
        supported: dict[str, tuple[int, ...]] = {}
        for version in checked.versions:
            if version.spec.domain == domain:
                known = supported.get(version.spec.operator, ())
                supported[version.spec.operator] = (*known, version.spec.since_version)
        published = {name: entry.versions for name, entry in sorted(index.operators.items())}
        found.append(DomainCoverage(domain, index.release, published, supported))
    return found


def types_of(version: CheckedVersion) -> Iterable[TypeCoverage]:
    """The types that any input of a version takes, in the order of the spec.

    Where an operator has no inputs, they are those of its outputs.
    """
    spec = version.spec
    taken = dict.fromkeys(t for p in _counted(spec) for t in spec.allowed_types(p))
    whole = {backend: backend.gap(version) for backend in BACKENDS}
    for concrete in taken:
        yield TypeCoverage(
            type=str(concrete),
            gaps={
                backend.name.value: reason
                for backend in BACKENDS
                if (reason := whole[backend] or backend.type_gap(version, concrete))
            },
            examples=sum(_shows(spec, example, concrete) for example in spec.examples),
        )


def _shows(spec: OperatorVersion, example: Example, concrete: ConcreteType) -> bool:
    """Return whether an example has an input of the type, or is repeated for it.

    An optional without contents is one of each type; one with contents shows what it holds.
    """
    arguments = example.inputs if spec.inputs else example.outputs
    return any(
        _shown_for(spec, arguments[parameter.name], example.each_type, parameter, concrete)
        for parameter in _counted(spec)
        if parameter.name in arguments
        and (isinstance(parameter.type, TypeVariable) or parameter.type == concrete)
    )


def _counted(spec: OperatorVersion) -> tuple[Parameter, ...]:
    """The parameters whose types are counted."""
    return tuple(spec.inputs or spec.outputs)


def _shown_for(
    spec: OperatorVersion,
    argument: Argument,
    each_type: str | None,
    parameter: Parameter,
    concrete: ConcreteType,
) -> bool:
    if argument.tensors is None:
        return isinstance(concrete, OptionalType) and concrete in spec.allowed_types(parameter)
    item = concrete.item if isinstance(concrete, SequenceType) else concrete
    if argument.sequence is not isinstance(concrete, SequenceType):
        return False
    if str(parameter.type) == each_type and isinstance(item, TensorType):
        return concrete in spec.allowed_types(parameter)
    return any(TensorType(tensor.type) == item for tensor in argument.tensors)
