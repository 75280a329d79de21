"""The cases of the kit: every example and reject of every version, each in every type it has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from opmill._runtime.documentation import Erratum
from opmill._runtime.errors import Error
from opmill._runtime.progress import Progress, silent
from opmill._runtime.registry import operators as every_version
from opmill._runtime.schema import Schema
from opmill._runtime.versions import HOME
from opmill.conformance import _tables

_tables.provide()

from opmill_checks.case import Example, Reject, for_each_type  # noqa: E402
from opmill_checks.compare import mismatch  # noqa: E402
from opmill_checks.graphs import Graph, value_of  # noqa: E402
from opmill_checks.interface import arguments, positional  # noqa: E402
from opmill_checks.signature import in_type  # noqa: E402
from opmill_checks.value import TYPES, Held, Sparse, Value  # noqa: E402

if TYPE_CHECKING:
    from onnx import ModelProto

TOLERANCES = {"float16": (2e-3, 1e-6), "bfloat16": (1.6e-2, 1e-6)}
"""(rtol, atol) of computed results: two steps of rounding of the types of 16 bits."""

ONNX_TOLERANCE = (1e-3, 1e-7)
"""(rtol, atol) of computed results of every other type, as in ONNX's own backend tests."""

_FLOATING = ("float", "complex")

__all__ = [
    "ONNX_TOLERANCE",
    "TYPES",
    "Case",
    "Graph",
    "Held",
    "Mismatch",
    "Sparse",
    "Value",
    "cases",
    "value_of",
]


class Mismatch(AssertionError):
    """A runtime's outputs differ from the expected ones; the message says where."""


@dataclass(frozen=True)
class Case:
    """One call of one operator version.

    Args:
        schema: the operator version.
        example: the name of the example, or of the invalid call, in the spec.
        type: the element type in which an example is repeated; ``None`` for its own.
        inputs: the inputs in schema order; ``None`` for one that is left out.
        attributes: the attributes by name.
        outputs: the expected outputs in schema order; ``None`` for one that is not requested. An
            invalid call has none.
        accuracy: the tolerance that the spec states for each output; ``None`` for exact ones.
        error: why the call is invalid; ``None`` for an example.
        rests_on: the decisions without which ONNX's text allows another outcome.
        requested: the number of outputs that the node has.
    """

    schema: Schema
    example: str
    type: str | None
    inputs: tuple[Value | Held | None, ...]
    attributes: Mapping[str, Any] = field(hash=False)
    outputs: tuple[Value | Held | None, ...] = ()
    accuracy: tuple[tuple[float, float] | None, ...] = ()
    error: str | None = None
    rests_on: tuple[Erratum, ...] = ()
    requested: int = 1

    @property
    def label(self) -> str:
        """The operator version, as ``Tile-13``."""
        return self.schema.label

    @property
    def name(self) -> str:
        """The case in one line, as ``Tile-13: rank 0 (int8)``."""
        return f"{self.label}: {self.example}" + (f" ({self.type})" if self.type else "")

    @property
    def is_reject(self) -> bool:
        """True if the call is invalid."""
        return self.error is not None

    @property
    def types(self) -> tuple[str, ...]:
        """The element types of the inputs and of the expected outputs, sorted."""
        tensors = [tensor for one in (*self.inputs, *self.outputs) for tensor in _tensors(one)]
        return tuple(sorted({tensor.type for tensor in tensors}))

    @property
    def elements(self) -> int:
        """The number of elements of all inputs and outputs: how small the case is."""
        both = (*self.inputs, *self.outputs)
        return sum(len(tensor.items) for one in both for tensor in _tensors(one))

    def input_arrays(self) -> list[Any]:
        """The inputs: arrays, lists of arrays for sequences, ``None`` for those left out."""
        return [None if one is None else one.to_array() for one in self.inputs]

    def expected_arrays(self) -> list[Any]:
        """The expected outputs, in the same form."""
        return [None if one is None else one.to_array() for one in self.outputs]

    def call_attributes(self) -> dict[str, Any]:
        """The attributes, tensors among them as arrays."""
        return arguments(self.attributes)

    def model(self, opset: int | None = None) -> ModelProto:
        """Return a model of one node.

        Args:
            opset: the opset to import; by default the lowest that has the version.

        Raises:
            InexpressibleError: a model cannot hold the call.
        """
        from opmill.conformance._models import model_of

        return model_of(self, opset)

    def tolerance(self, position: int, *, strict: bool = False) -> tuple[float, float] | None:
        """Return the tolerance (rtol, atol) of an expected output; ``None`` for bit by bit.

        Args:
            position: the index of the output.
            strict: whether to use the spec's tolerance instead of the wider one of ONNX's own
                tests. Then payloads of NaNs and signs of zeros count where the spec has exact
                results.
        """
        stated, wanted = self.accuracy[position], self.outputs[position]
        if strict or not isinstance(wanted, Value) or TYPES[wanted.type].kind not in _FLOATING:
            return stated
        if stated is None:
            return (0.0, 0.0)
        usual = TOLERANCES.get(wanted.type, ONNX_TOLERANCE)
        return (max(stated[0], usual[0]), max(stated[1], usual[1]))

    def judge(self, outputs: Sequence[Any], *, strict: bool = False) -> None:
        """Compare a runtime's outputs with the expected ones.

        Args:
            outputs: an array for each requested output, in order; a list for a sequence, ``None``
                for an optional without contents.
            strict: as in ``tolerance``.

        Raises:
            Mismatch: an output differs from the expected one.
        """
        if len(outputs) != self.requested:
            raise Mismatch(f"{len(outputs)} outputs, expected {self.requested}")
        given = iter(outputs)
        for position, wanted in enumerate(self.outputs):
            if wanted is None:
                continue
            found, tolerance = next(given), self.tolerance(position, strict=strict)
            name = self.schema.outputs[min(position, len(self.schema.outputs) - 1)].name
            problem = _problem(wanted, found, tolerance)
            if problem is not None:
                raise Mismatch(f"{name}: {problem}")


def cases(
    operators: Collection[str] | None = None,
    *,
    domain: str = HOME,
    versions: Collection[int] | None = None,
    opset: int | None = None,
    types: Collection[str] | None = None,
    rejects: bool = True,
    progress: Progress = silent,
) -> Iterator[Case]:
    """Yield the cases, by operator, version and name.

    Args:
        operators: ONNX's names, with or without a version, as ``Tile`` or ``Tile-13``; by default
            all.
        domain: the operators' domain.
        versions: the versions, as 13; by default all.
        opset: the opset whose versions are chosen; by default any.
        types: only cases with a tensor of one of these element types, as ``float16``.
        rejects: whether to include the calls that must be refused.
        progress: reports how many of the chosen versions are read; by default nothing.

    Raises:
        Error: there is no such operator, version or type.
    """
    known = [(name, number) for home, name, number in every_version() if home == domain]
    chosen = chosen_versions(known, operators, versions, opset)
    for unknown in sorted(set(types or ()) - set(TYPES)):
        raise Error(f"{unknown} is not an element type, expected one of {', '.join(TYPES)}")
    wanted = None if types is None else set(types)
    for name, number in progress("reading cases", chosen):
        for case in _of_version(domain, name, number, rejects=rejects):
            if wanted is None or wanted & set(case.types):
                yield case


def chosen_versions(
    known: list[tuple[str, int]],
    operators: Collection[str] | None,
    versions: Collection[int] | None,
    opset: int | None,
) -> list[tuple[str, int]]:
    """The known versions, by name and number, that the arguments of ``cases`` choose.

    Raises:
        Error: there is no such operator or version.
    """
    named = None if operators is None else _versions_by_name(operators)
    for name in named or ():
        if not any(name == one for one, _ in known):
            raise Error(f"{name} is not a supported operator; opmill.operators() lists them")
    chosen = [one for one in known if named is None or one[0] in named]
    if opset is not None:
        newest: dict[str, int] = {}
        for name, number in chosen:
            if number <= opset:
                newest[name] = max(number, newest.get(name, 0))
        chosen = [one for one in chosen if newest.get(one[0]) == one[1]]
    if versions is not None:
        chosen = [one for one in chosen if one[1] in versions]
    for name, numbers in (named or {}).items():
        missing = [f"{name}-{one}" for one in sorted(numbers or ()) if (name, one) not in chosen]
        if missing:
            raise Error(f"no case of {', '.join(missing)} is chosen")
        if numbers is not None:
            chosen = [one for one in chosen if one[0] != name or one[1] in numbers]
    if not chosen:
        raise Error("no supported operator version is chosen")
    return chosen


def _versions_by_name(operators: Collection[str]) -> dict[str, set[int] | None]:
    """The versions that are given of each operator, as ``Tile-13``; ``None`` for all of them."""
    found: dict[str, set[int] | None] = {}
    for text in operators:
        name, dash, number = text.partition("-")
        if not dash:
            found[name] = None
        elif not number.isdecimal():
            raise Error(f"'{text}' is no operator, expected Tile or Tile-13")
        else:
            numbers = found.setdefault(name, set())
            if numbers is not None:
                numbers.add(int(number))
    return found


def _of_version(domain: str, name: str, number: int, *, rejects: bool) -> Iterator[Case]:
    table = _tables.table(domain, name)
    version = table.versions[number]
    for example, type in examples_of(domain, name, number):
        yield _from_example(version, example, type)
    if rejects:
        for reject in version.cases_of(table.rejects):
            yield _from_reject(version, reject)


def examples_of(domain: str, name: str, number: int) -> Iterator[tuple[Example, str | None]]:
    """Yield the examples of a version, then those repeated in other types, each with its type."""
    table = _tables.table(domain, name)
    version = table.versions[number]
    examples = version.cases_of(table.examples)
    plain = [one for one in examples if one.type is None]
    yield from ((example, None) for example in plain)
    known = {one.name: (one.inputs, one.outputs) for one in plain}
    for example in examples:
        if example.type is not None and known[example.name] != (example.inputs, example.outputs):
            yield example, example.type
    for example, type in for_each_type(plain, version.types):
        repeated = in_type(version.operator, example, str(example.each_type), type)
        if repeated != example:
            yield repeated, type


def _from_example(version: Any, example: Example, type: str | None) -> Case:
    schema: Schema = version.operator.schema
    outputs = positional(schema.outputs, example.outputs)
    return Case(
        schema,
        example.name,
        type,
        tuple(positional(schema.inputs, example.inputs)),
        dict(example.attributes),
        tuple(outputs),
        tuple(
            version.accuracy.get(one.type) if isinstance(one, Value) else None for one in outputs
        ),
        rests_on=_decisions(schema, example),
        requested=sum(one is not None for one in outputs),
    )


def _from_reject(version: Any, reject: Reject) -> Case:
    schema: Schema = version.operator.schema
    inputs: list[Any]
    if isinstance(reject.inputs, Mapping):
        inputs = positional(schema.inputs, reject.inputs)
    else:
        inputs = list(reject.inputs)
    single = [one for one in schema.outputs if one.option == "single"]
    asked = reject.outputs if reject.outputs is not None else max(len(single), 1)
    return Case(
        schema,
        reject.name,
        None,
        tuple(inputs),
        dict(reject.attributes),
        error=reject.error,
        rests_on=_decisions(schema, reject),
        requested=asked,
    )


def _decisions(schema: Schema, case: Example | Reject) -> tuple[Erratum, ...]:
    """The errata of a version that a case rests on; the others that it names apply elsewhere."""
    if not case.rests_on:
        return ()
    return tuple(one for one in schema.documentation.errata if one.name in case.rests_on)


def _tensors(value: Value | Held | None) -> tuple[Value, ...]:
    if isinstance(value, Held):
        return value.items or ()
    return () if value is None else (value,)


def _problem(wanted: Value | Held, found: Any, tolerance: tuple[float, float] | None) -> str | None:
    """Return the error of an output as a message; ``None`` if it is right."""
    if isinstance(wanted, Value):
        found = np.asarray(found) if isinstance(found, np.generic) else found
        return mismatch(wanted, found, tolerance)
    if wanted.items is None:
        return None if found is None else f"expected None, got {type(found).__name__}"
    if not isinstance(found, (list, tuple)) or len(found) != len(wanted.items):
        return f"expected a list of {len(wanted.items)} arrays, got {found!r}"
    for position, (one, array) in enumerate(zip(wanted.items, found, strict=True)):
        problem = mismatch(one, array, None)
        if problem is not None:
            return f"element {position}: {problem}"
    return None
