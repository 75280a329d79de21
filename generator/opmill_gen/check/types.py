"""The types in an example: inputs that share a type variable agree, outputs have what these give.

A call gives a variable one type; an output takes it, or what its ``type_from`` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.onnx_types import (
    ConcreteType,
    ElementType,
    OptionalType,
    SequenceType,
    TensorType,
    TypeVariable,
)
from opmill_gen.spec.attribute_values import SparseValue, attribute_value
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)
from opmill_gen.spec.tensor_values import TensorValue
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, Scalar

_CODES = dict(enumerate(ElementType, 1))
"""The element types by their numbers in TensorProto.DataType."""


@dataclass(frozen=True)
class _Bound:
    """The type that an example gives a type variable, and the input that does."""

    type: ConcreteType
    by: str


def check_types(spec: OperatorVersion, example: Example, faults: Faults) -> None:
    """Report inputs and outputs whose types are allowed alone and do not go together."""
    bound: dict[str, _Bound] = {}
    for parameter in spec.inputs:
        if not isinstance(parameter.type, TypeVariable) or not parameter.homogeneous:
            continue
        for location, type_ in _given(spec, parameter, example.inputs.get(parameter.name)):
            first = bound.setdefault(parameter.type.name, _Bound(type_, parameter.name))
            if first.type != type_:
                faults.report(
                    location,
                    f"'{parameter.name}' is {type_} here and '{first.by}' is {first.type}; both "
                    f"are of '{parameter.type}', which is one type in a call",
                )
    for output in spec.outputs:
        if output.option is Option.VARIADIC and not output.homogeneous:
            continue
        wanted = _wanted(spec, output, example, bound)
        for location, type_ in _given(spec, output, example.outputs.get(output.name)):
            if wanted is not None and type_ != wanted[0]:
                faults.report(
                    location,
                    f"'{output.name}' is {type_} here, but this call gives {wanted[0]}, by "
                    f"{wanted[1]}; write that type",
                )


def _given(
    spec: OperatorVersion, parameter: Parameter, argument: Argument | None
) -> Iterator[tuple[Location, ConcreteType]]:
    """The types that an example gives a parameter, without those that it does not allow at all."""
    allowed = spec.allowed_types(parameter)
    if argument is not None and argument.element is not None:
        yield argument.location, SequenceType(TensorType(argument.element))
    for tensor in (argument.tensors or ()) if argument is not None else ():
        type_: ConcreteType = TensorType(tensor.type)
        if argument is not None and argument.sequence:
            type_ = SequenceType(type_)
        if type_ in allowed:
            yield tensor.location, type_


def _wanted(
    spec: OperatorVersion, output: Parameter, example: Example, bound: dict[str, _Bound]
) -> tuple[ConcreteType, str] | None:
    """The type that an output has in a call, and what says so; ``None`` where that is not known."""
    found = _source_type(spec, output, example, bound)
    return None if found is None else (_as_output(spec, output, found[0]), found[1])


def _as_output(spec: OperatorVersion, output: Parameter, type_: ConcreteType) -> ConcreteType:
    """A type as an output has it: of a sequence, a source may tell the tensors, and conversely."""
    allowed = spec.allowed_types(output)
    if type_ not in allowed and isinstance(type_, TensorType) and SequenceType(type_) in allowed:
        return SequenceType(type_)
    if type_ not in allowed and isinstance(type_, SequenceType) and type_.item in allowed:
        return type_.item
    if type_ not in allowed and isinstance(type_, OptionalType) and type_.item in allowed:
        return type_.item
    if type_ not in allowed and OptionalType(type_) in allowed:
        return OptionalType(type_)
    return type_


def _source_type(
    spec: OperatorVersion, output: Parameter, example: Example, bound: dict[str, _Bound]
) -> tuple[ConcreteType, str] | None:
    """The type that an attribute or an input tells, and what says so."""
    attributes = {attribute.name: attribute for attribute in spec.attributes}
    sources = spec.type_sources(output)
    for source in sources:
        if source.attribute is not None and source.attribute in attributes:
            given = source.attribute in example.attributes
            skipped = source is not sources[-1] and _is_undefined(
                attributes[source.attribute], example
            )
            if source.fixed is not None:
                if _is_given(attributes[source.attribute], example):
                    return source.fixed, f"the attribute '{source.attribute}'"
            elif not skipped and (given or attributes[source.attribute].default is not None):
                type_ = _named(attributes[source.attribute], example)
                return None if type_ is None else (type_, f"the attribute '{source.attribute}'")
        elif source.variable is not None and source.fixed is not None:
            if source.variable in bound and bound[source.variable].type != source.fixed:
                return source.fixed, f"another type of '{source.variable}'"
        elif source.variable is not None and source.variable in bound:
            return _bound_type(source.variable, bound)
        elif source.fixed is not None:
            return source.fixed, "type_from" if output.type_from else f"'{output.type}'"
    name = str(output.type)
    return _bound_type(name, bound) if not sources and name in bound else None


def _bound_type(variable: str, bound: dict[str, _Bound]) -> tuple[ConcreteType, str]:
    first = bound[variable]
    return first.type, f"'{variable}', the type of '{first.by}'"


def _is_given(attribute: Attribute, example: Example) -> bool:
    """True if a call gives an attribute; a flag, an INT that every call has, where it is 1."""
    if attribute.is_flag:
        tree = example.attributes.get(attribute.name, attribute.default)
        return isinstance(tree, Scalar) and tree.value == 1
    return attribute.name in example.attributes


def _is_undefined(attribute: Attribute, example: Example) -> bool:
    """True if an attribute that may be left out is 0, DataType's UNDEFINED: it names no type."""
    tree = example.attributes.get(attribute.name, attribute.default)
    return not attribute.required and isinstance(tree, Scalar) and tree.value == 0


def _named(attribute: Attribute, example: Example) -> ConcreteType | None:
    """The type that an attribute names, as a number of DataType or by its name there, or has."""
    tree = example.attributes.get(attribute.name, attribute.default)
    if isinstance(tree, Entries):
        value = attribute_value(tree)
        assert isinstance(value, (TensorValue, SparseValue))
        return TensorType(value.type)
    if not isinstance(tree, Scalar):
        return None
    element = None
    if attribute.kind is AttributeKind.INT and isinstance(tree.value, int):
        element = _CODES.get(tree.value)
    elif attribute.kind is AttributeKind.STRING:
        element = next((e for e in ElementType if e.name == tree.text), None)
    return None if element is None else TensorType(element)


def check_type_sources(spec: OperatorVersion, faults: Faults) -> None:
    """Report sources that could give an output a type which its own type does not allow."""
    for output in spec.outputs:
        allowed = spec.allowed_types(output)
        if isinstance(output.type, TypeVariable) and output.type.name not in spec.type_constraints:
            continue
        for source in output.type_from:
            types: tuple[ConcreteType, ...] = ()
            location = source.location
            if source.fixed is not None:
                types, location = (source.fixed,), source.at("fixed")
            elif source.variable is not None and source.variable in spec.type_constraints:
                types = spec.type_constraints[source.variable].types
                location = source.at("variable")
            possible = [type_ for type_ in types if type_ not in source.refused]
            excluded = [str(t) for t in possible if _as_output(spec, output, t) not in allowed]
            if excluded:
                faults.report(
                    location,
                    f"'{output.name}' would be {excluded[0]}, which '{output.type}' does not "
                    f"allow; add it to '{output.type}', or take the type from elsewhere",
                )
