"""Calls that families draw, as cases: legal ones with the oracle's results, and invalid ones.

``calls.py`` of a family draws the shapes and attributes, this module the element types and the
other contents. Versions of an operator that compute by one instance share the calls whose types
they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from opmill_checks.contents import RefusedContents
from opmill_checks.drawing import Call, Chance, Contents, Given, Illegal, choice, integer
from opmill_checks.elements import elements
from opmill_checks.interface import parameter_at
from opmill_checks.parameters import with_parameters
from opmill_checks.value import TYPES, Sparse, SparseArrays, Value, dtype_of
from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.base.onnx_types import ElementType, TensorType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.corpus.modules import family_module
from opmill_gen.emit.corpus.oracles import Oracles
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter

LEGAL = 12
"""The number of legal calls of a version."""
INVALID = 4
"""The number of invalid calls of a version."""
MAX_ELEMENTS = 1600
"""The most elements that the inputs of a call have together, and its outputs."""
_CANDIDATES = 3
"""So many calls are drawn for each that is used: the larger half of the used ones are the largest
of these, which reach the ends of vectors."""


@dataclass(frozen=True)
class DrawnCase:
    """A drawn call.

    Args:
        name: unique among the cases of the operator.
        inputs, attributes: by name.
        outputs: the results by name; empty for an invalid call.
        requested: the number of outputs that an invalid call requests.
        raises: the class of error that an invalid call raises; ``None`` for a legal one.
    """

    name: str
    inputs: Mapping[str, Any]
    attributes: Mapping[str, Any]
    outputs: Mapping[str, Any]
    requested: int = 0
    raises: str | None = None


@dataclass(frozen=True)
class _Typed:
    """A call with an element type and elements for every input."""

    inputs: Mapping[str, Any]
    attributes: Mapping[str, Any]
    outputs: int | None


def drawn_cases(versions: Sequence[CheckedVersion], oracles: Oracles) -> list[list[DrawnCase]]:
    """Return the drawn calls of each version of an operator.

    Args:
        versions: of one operator, in ascending order.
        oracles: compute the results.
    """
    found: dict[int, list[DrawnCase]] = {id(version): [] for version in versions}
    groups: dict[object, list[CheckedVersion]] = {}
    for version in versions:
        if _can_be_drawn(version):
            groups.setdefault(_alike(version), []).append(version)
    for group in groups.values():
        for version in reversed(group):
            for case in _of_version(version, found[id(version)], oracles):
                for other in group:
                    if _takes(other.spec, case):
                        found[id(other)].append(case)
    return [found[id(version)] for version in versions]


def _can_be_drawn(version: CheckedVersion) -> bool:
    """Return whether the family draws calls and computes them, of tensors and nothing else."""
    spec, family = version.spec, version.instance.family
    return (
        family.calls_text is not None
        and family.oracle_text is not None
        and not spec.runs_graphs
        and not any(map(spec.is_never_tensor, (*spec.inputs, *spec.outputs)))
        and not any(spec.has_others(one) for one in (*spec.inputs, *spec.outputs))
    )


def _alike(version: CheckedVersion) -> object:
    """Key of the versions whose calls differ in nothing but their element types."""
    spec, instance = version.spec, version.instance
    parts = [(p.name, str(p.type), p.option) for p in (*spec.inputs, *spec.outputs)]
    attributes = [(a.name, a.kind, repr(a.default)) for a in spec.attributes]
    rule = (instance.family.name, instance.rule.name, instance.parameters)
    return (rule, *parts, *attributes, bool(spec.accuracy.tolerances))


def _of_version(
    version: CheckedVersion, shared: Sequence[DrawnCase], oracles: Oracles
) -> Iterator[DrawnCase]:
    """The calls that a version adds to those that it shares with later ones."""
    label = version.spec.label
    legal = sum(case.raises is None for case in shared)
    if 2 * legal < LEGAL:
        drawing = _drawing(version, "legal")
        calls = [drawing(Chance(f"{label} legal {k}")) for k in range(_CANDIDATES * LEGAL)]
        for k in _in_order(calls):
            if legal == LEGAL:
                break
            typed = _typed(version.spec, calls[k], Chance(f"{label} elements {k}"))
            outputs = _answer(version, typed, oracles)
            if outputs is not None:
                legal += 1
                yield DrawnCase(f"drawn {label} {k}", typed.inputs, typed.attributes, outputs)
    illegal = sum(case.raises is not None for case in shared)
    if 2 * illegal < INVALID and hasattr(_calls(version), "illegal"):
        drawing = _drawing(version, "illegal")
        for k in range(illegal, INVALID):
            wrong: Illegal = drawing(Chance(f"{label} invalid {k}"))
            if _weight(wrong.call) <= MAX_ELEMENTS:
                typed = _typed(version.spec, wrong.call, Chance(f"{label} wrong elements {k}"))
                count = typed.outputs or _required(version.spec)
                yield DrawnCase(
                    f"drawn invalid {label} {k}",
                    typed.inputs, typed.attributes, {}, count, wrong.raises,
                )  # fmt: skip


def _required(spec: OperatorVersion) -> int:
    """Number of outputs of a call that requests none but the required ones; at least one."""
    return max(1, *(k for k, one in enumerate(spec.outputs, 1) if one.option is Option.SINGLE), 1)


def _in_order(calls: Sequence[Call]) -> list[int]:
    """The positions of the calls that are small enough: by turns the next one and the largest."""
    weights = [_weight(call) for call in calls]
    drawn = [k for k, weight in enumerate(weights) if weight <= MAX_ELEMENTS]
    largest = sorted(drawn, key=lambda k: (-weights[k], k))
    order = (k for pair in zip(drawn, largest, strict=True) for k in pair)
    return list(dict.fromkeys(order))


def _weight(call: Call) -> int:
    """The number of elements of the inputs."""
    return sum(
        math.prod(_shape(given))
        for value in call.inputs.values()
        for given in (value if isinstance(value, list) else [value])
        if given is not None
    )


def _shape(given: Any) -> tuple[int, ...]:
    return given.shape if isinstance(given, Contents) else given


# Functions of the family


def _calls(version: CheckedVersion) -> Any:
    return family_module(version.instance.family, "calls")


def _drawing(version: CheckedVersion, name: str) -> Callable[..., Any]:
    """A function of ``calls.py`` with what it takes of the version."""
    spec = version.spec
    known = {
        **dict(version.instance.parameters),
        "rule": version.instance.rule.name,
        "inputs": tuple(parameter.name for parameter in spec.inputs),
        "attributes": frozenset(attribute.name for attribute in spec.attributes),
        "kinds": {attribute.name: attribute.kind.value for attribute in spec.attributes},
        "types": {name: _words(spec, name) for name in spec.type_constraints},
    }
    return with_parameters(getattr(_calls(version), name), known)


def _words(spec: OperatorVersion, variable: str) -> tuple[str, ...]:
    """The element types of a type variable."""
    types = spec.type_constraints[variable].types
    return tuple(type_.element.value for type_ in types if isinstance(type_, TensorType))


def _answer(version: CheckedVersion, call: _Typed, oracles: Oracles) -> dict[str, Any] | None:
    """The requested outputs; ``None`` if they are too large or the contents are refused."""
    spec = version.spec
    try:
        found = oracles.answer(version, call.inputs, call.attributes, call.outputs)
    except RefusedContents:
        return None
    except Exception as error:
        oracle = Location(f"{version.instance.family.folder}/oracle.py")
        words = f"fails for a drawn call of {spec.label}: {type(error).__name__}: {error}"
        raise InputError([Diagnostic(oracle, words)]) from error
    if call.outputs is None:
        asked = [one for one in spec.outputs if one.option is Option.SINGLE]
    else:
        asked = [parameter_at(spec.outputs, position) for position in range(call.outputs)]
    outputs = {one.name: found[one.name] for one in asked if found.get(one.name) is not None}
    values = [value for one in outputs.values() for value in _values(one)]
    fits = sum(len(value.items) for value in values) <= MAX_ELEMENTS
    return outputs if values and fits and not any(_is_open(spec, one) for one in values) else None


def _is_open(spec: OperatorVersion, value: Value) -> bool:
    """Return whether a value of a type without tolerance has NaNs of any pattern."""
    exact = ElementType(value.type) not in spec.accuracy.tolerances
    is_real = TYPES[value.type].kind in ("float", "complex")
    return exact and is_real and value.bits is None and any(item != item for item in value.items)


def _values(given: Any) -> list[Value]:
    return [one for one in (given if isinstance(given, (list, tuple)) else [given]) if one]


# Element types


def _typed(spec: OperatorVersion, call: Call, draw: Chance) -> _Typed:
    """The call with an element type for each type variable, and elements for every input."""
    bound = {name: call.types.get(name) or choice(draw, _words(spec, name))
             for name in sorted(spec.type_constraints)}  # fmt: skip
    exact = not spec.accuracy.tolerances
    seed = integer(draw, 0, 2**20)
    inputs: dict[str, Any] = {}
    for parameter in spec.inputs:
        given = call.inputs[parameter.name]
        type_ = _bound(parameter, bound)
        values: list[Given] = given if isinstance(given, list) else [given]
        made = [_value(type_, one, seed + k, exact) for k, one in enumerate(values, len(inputs))]
        inputs[parameter.name] = made if isinstance(given, list) else made[0]
    outputs = call.outputs
    optional = [one.option is Option.OPTIONAL for one in spec.outputs]
    if all(optional) or (outputs is None and any(optional)):
        outputs = len(spec.outputs)
    attributes = {name: _attribute(value) for name, value in call.attributes.items()}
    return _Typed(inputs, attributes, outputs)


def _bound(parameter: Parameter, bound: Mapping[str, str]) -> str:
    """The element type of a parameter."""
    text = bound.get(str(parameter.type), str(parameter.type))
    return text.removeprefix("tensor(").removesuffix(")")


def _value(type_: str, given: Given, seed: int, exact: bool) -> Value | None:
    if given is None:
        return None
    if not isinstance(given, Contents):
        return Value.from_array(_quiet(elements(type_, given, seed, exact=exact)))
    type_ = given.type or type_
    if TYPES[type_].kind == "string":
        return Value(type_, given.shape, tuple(map(str, given.items)))
    with np.errstate(all="ignore"):
        array = np.array(given.items).astype(dtype_of(type_)).reshape(given.shape)
    return Value.from_array(array)


def _quiet(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array with quiet NaNs alone: a move through registers of x87 makes them so."""
    if array.dtype not in (np.float32, np.float64):
        return array
    bits = array.view(f"uint{8 * array.dtype.itemsize}")
    quiet = 1 << (np.finfo(array.dtype).nmant - 1)
    return np.where(np.isnan(array), bits | bits.dtype.type(quiet), bits).view(array.dtype)


def _attribute(value: Any) -> Any:
    """An attribute as oracles take it."""
    if isinstance(value, np.ndarray):
        return Value.from_array(value)
    if isinstance(value, SparseArrays):
        parts = Value.from_array(value.values), Value.from_array(value.indices)
        return Sparse(*parts, tuple(value.dims))
    return [_attribute(one) for one in value] if isinstance(value, (list, tuple)) else value


def _takes(spec: OperatorVersion, case: DrawnCase) -> bool:
    """Return whether a version has the element types of a call."""
    parts = ((spec.inputs, case.inputs), (spec.outputs, case.outputs))
    return all(
        TensorType(ElementType(value.type)) in spec.allowed_types(parameter)
        for parameters, given in parts
        for parameter in parameters
        for value in _values(given.get(parameter.name))
    )
