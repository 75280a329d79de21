"""Results of the function of an operator version, and how it counts its outputs."""

from __future__ import annotations

import enum

from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)


class Result(enum.Enum):
    """Results of a function."""

    ONE = "an output"
    FIRST = "the first output, or a tuple where the caller counts the outputs"
    ALL = "a tuple"


def result_of(spec: OperatorVersion) -> Result:
    """Results of the function of an operator version."""
    first, *others = spec.outputs
    if first.option is Option.VARIADIC or any(o.option is not Option.OPTIONAL for o in others):
        return Result.ALL
    if first.option is Option.SINGLE and not others:
        return Result.ONE
    return Result.FIRST


def is_counted(spec: OperatorVersion) -> bool:
    """Return whether a call may ask for several numbers of outputs."""
    return any(output.option is not Option.SINGLE for output in spec.outputs)


def counting(version: CheckedVersion) -> list[Parameter | Attribute]:
    """The inputs and attributes that state how many outputs a call has."""
    spec = version.spec
    parts: list[Parameter | Attribute] = [*spec.inputs, *spec.attributes]
    by_name = {rule_name(spec, part): part for part in parts}
    stated = version.instance.family.document.output_count
    return [by_name[name] for name in stated if name in by_name]


def counting_names(version: CheckedVersion) -> list[str]:
    """The names of these in Python."""
    names = version.names
    return [
        str(names.attributes[p.name] if isinstance(p, Attribute) else names.parameters[p.name])
        for p in counting(version)
    ]


def names_type(spec: OperatorVersion, attribute: Attribute) -> bool:
    """Return whether the value of an attribute names the element type of an output."""
    return attribute.kind in (AttributeKind.INT, AttributeKind.STRING) and any(
        source.attribute == attribute.name and source.fixed is None
        for output in spec.outputs
        for source in output.type_from
    )
