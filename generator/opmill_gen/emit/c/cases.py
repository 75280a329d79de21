"""What the templates of the C library's test tables need to know.

A table is data for the hand-written runner of ``templates/c/tests``. Values are the spec's own:
whole numbers where they tell the element in every type, exact formulas, bit patterns for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from opmill_gen.base.literals import c_comment, c_string
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.header import ABSENT, header_name, is_optional, prefix_of
from opmill_gen.emit.c.support import NO_MEMORY, type_gaps
from opmill_gen.rule_language import c_name
from opmill_gen.spec.cases import Argument, ErrorClass, Example, Reject
from opmill_gen.spec.float_bits import FORMATS, NARROW, float_bits, narrow_bits
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)
from opmill_gen.spec.tensor_values import Bits, Element, Fill, Formula, Given, TensorValue
from opmill_gen.yaml_reader.tree import Tree, plain

_WIDTH = 100
_CODES = {
    ErrorClass.OP: "OPMILL_ERROR_CALL",
    ErrorClass.TYPE: "OPMILL_ERROR_TYPE",
    ErrorClass.SHAPE: "OPMILL_ERROR_SHAPE",
    ErrorClass.ATTRIBUTE: "OPMILL_ERROR_ATTRIBUTE",
}
_WHOLE = 256  # every floating type holds the whole numbers up to here


class _Unsayable(Exception):
    """What cannot be said in C: the reason."""


def version_cases(version: CheckedVersion, references: Collection[str]) -> dict[str, Any]:
    """The context of ``c/tests/cases_version.c.j2``.

    Args:
        version: the operator version.
        references: the families whose slow reference in C is among the copied files.
    """
    spec = version.spec
    prefix = prefix_of(version)
    gaps = type_gaps(version)
    left_out: list[str] = []
    examples, rejects = [], []
    for example in spec.examples:
        try:
            _check_tensors(spec, example)
            _check_gaps(gaps, example)
            examples.append(_example(spec, prefix, example))
        except _Unsayable as reason:
            left_out.append(c_comment(f"{example.name}: {reason}"))
    for reject in spec.rejects:
        try:
            _check_tensors(spec, reject)
            rejects.append(_reject(spec, prefix, reject))
        except _Unsayable as reason:
            left_out.append(c_comment(f"{reject.name}: {reason}"))
    family = version.instance.family.name
    own = version.instance.family.c_reference is not None
    return {
        "label": spec.label,
        "header": header_name(version),
        "table": table_name(version),
        "domain": c_string(spec.domain),
        "name": c_string(spec.operator),
        "since_version": spec.since_version,
        "examples": examples,
        "rejects": rejects,
        "left_out": left_out,
        "reference": f"reference_{family}" if family in references or own else "NULL",
        "own_reference": own,
        "parameters": [
            (
                c_string(name),
                c_string(str(value).lower() if isinstance(value, bool) else str(value)),
            )
            for name, value in version.instance.parameters
        ],
        "accuracy": [
            (f"OPMILL_{element.name}", tolerance.rtol, tolerance.atol)
            for element, tolerance in spec.accuracy.tolerances.items()
        ],
    }


def _check_tensors(spec: OperatorVersion, case: Example | Reject) -> None:
    """Refuse a case with anything that is no tensor."""
    if spec.holds_others(case):
        raise _Unsayable(NO_MEMORY)


def _check_gaps(gaps: Mapping[str, str], example: Example) -> None:
    """Refuse an example with a type that the C kernel does not compute with."""
    for argument in (*example.inputs.values(), *example.outputs.values()):
        for tensor in argument.tensors or ():
            if tensor.type.value in gaps:
                raise _Unsayable(f"{tensor.type.value}, which C lacks")


def table_name(version: CheckedVersion) -> str:
    """The name of a version's table, as ``cases_tile_13``."""
    return "cases_" + prefix_of(version).removeprefix("opmill_")


def _example(spec: OperatorVersion, prefix: str, example: Example) -> dict[str, Any]:
    return {
        "name": c_string(example.name),
        "inputs": _tensors(spec.inputs, example.inputs),
        "outputs": _tensors(spec.outputs, example.outputs),
        "attributes": _attributes(spec, prefix, example.attributes),
        "each_type": (
            -1
            if example.each_type is None
            else list(spec.type_constraints).index(example.each_type)
        ),
    }


def _reject(spec: OperatorVersion, prefix: str, reject: Reject) -> dict[str, Any]:
    if reject.inputs.named is not None:
        inputs = _tensors(spec.inputs, reject.inputs.named)
    else:
        inputs = [_tensor(a.tensors[0] if a.tensors else None) for a in reject.inputs.positional]
    return {
        "name": c_string(reject.name),
        "inputs": inputs,
        "attributes": _attributes(spec, prefix, reject.attributes),
        "outputs": _least(spec) if reject.outputs is None else reject.outputs,
        "code": _CODES[reject.raises],
        "by_kernel": reject.by_kernel,
        "message": c_string(f"{spec.label}: {reject.error}"),
    }


def _least(spec: OperatorVersion) -> int:
    """How many outputs a call gets that does not say how many."""
    return sum(output.option is Option.SINGLE for output in spec.outputs)


def _tensors(parameters: tuple[Parameter, ...], given: Mapping[str, Argument]) -> list[str]:
    """One tensor for each parameter up to the last that is given, all those of a variadic one."""
    last = max((k for k, p in enumerate(parameters) if p.name in given), default=-1)
    tensors = []
    for parameter in parameters[: last + 1]:
        argument = given.get(parameter.name)
        values = () if argument is None or argument.tensors is None else argument.tensors
        if parameter.option is Option.VARIADIC:
            tensors += [_tensor(value) for value in values]
        else:
            tensors.append(_tensor(values[0] if values else None))
    return tensors


# Tensors


def _tensor(value: TensorValue | None) -> str:
    if value is None:
        return "ABSENT"
    parts = [value.type.name, str(len(value.shape))]
    if value.shape:
        parts.append(_macro("DIMS", map(_int64, value.shape)))
    if value.size > 0:
        elements = _elements(value)
        if elements is not None:
            parts.append(elements)
    if len(parts) == 2:
        parts.append(".dims = NULL")
    return _macro("TENSOR", parts)


def _elements(value: TensorValue) -> str | None:
    """The elements; ``None`` where a reference computes them, or where they do not matter."""
    source, element = value.source, value.type
    if isinstance(source, Formula):
        return _formula(value, source)
    if isinstance(source, Fill):
        numbers = _whole(element, [source.element])
        if numbers is not None:
            return _macro("FORMULA", [numbers[0], "0", "0", "1", "0"])
        source = Given((source.element,) * value.size)
    if isinstance(source, Bits):
        return _macro("BITS", (f"{pattern:#x}u" for pattern in source.patterns))
    if not isinstance(source, Given):
        return None
    if element is ElementType.STRING:
        texts = [str(item) for item in source.elements]
        if any("\0" in text for text in texts):
            raise _Unsayable("a string holds a NUL")
        return _macro("TEXTS", map(c_string, texts))
    numbers = _whole(element, source.elements)
    if numbers is not None:
        return _macro("NUMBERS", numbers)
    patterns = [p for item in source.elements for p in _patterns(element, item)]
    return _macro("BITS", (f"{pattern:#x}u" for pattern in patterns))


def _whole(element: ElementType, items: Iterable[Element]) -> list[str] | None:
    """The elements as int64, where that says all of each."""
    numbers: list[int] = []
    for item in items:
        if isinstance(item, str) or item != item:
            return None
        if isinstance(item, complex):
            if repr(item.imag) != "0.0":
                return None
            item = item.real
        if not element.is_integer and (abs(item) > _WHOLE or repr(item).startswith("-0")):
            return None
        if item != int(item) or not -(2**63) <= item < 2**63:
            return None
        numbers.append(int(item))
    return [_int64(number) for number in numbers]


def _patterns(element: ElementType, item: Element) -> list[int]:
    """The bit pattern of an element; of a complex one, those of its two parts."""
    if isinstance(item, complex):
        part = ElementType.FLOAT if element is ElementType.COMPLEX64 else ElementType.DOUBLE
        return [*_patterns(part, item.real), *_patterns(part, item.imag)]
    if element.is_complex:
        return _patterns(element, complex(item))
    if element in FORMATS and not isinstance(item, str):
        return [float_bits(element, item)]
    if element in NARROW or element is ElementType.FLOAT8E8M0:
        pattern = narrow_bits(element, float(item))
        if pattern is None:
            raise _Unsayable(f"{item} of the type {element.value}; give its bits")
        return [pattern]
    return [int(item) % 2**64]


def _formula(value: TensorValue, formula: Formula) -> str:
    """The formula, where a double computes it without rounding, else its elements."""
    scale, offset = formula.number("scale", 1), formula.number("offset", 0)
    exact = formula.elements(value.size)
    distinct = set(exact)
    products = {number - Fraction(offset) for number in distinct}
    if all(Fraction(float(number)) == number for number in distinct | products):
        parts = [_int64(formula.start), _int64(formula.step), _int64(formula.modulo or 0)]
        return _macro("FORMULA", [*parts, repr(scale), repr(offset)])
    if value.type not in FORMATS:
        return _macro("NUMBERS", (_int64(int(number)) for number in exact))
    return _macro("BITS", (f"{float_bits(value.type, number):#x}u" for number in exact))


# Attributes


def _attributes(spec: OperatorVersion, prefix: str, given: Mapping[str, Tree]) -> str:
    """A pointer to the attributes, those not given at their defaults."""
    kinds = {attribute.name for attribute in spec.attributes}
    for name in given:
        if name not in kinds:
            raise _Unsayable(f"there is no attribute {name}")
    if not given:
        return "NULL"
    members = []
    for attribute in spec.attributes:
        if attribute.required and attribute.name not in given and attribute.default is None:
            raise _Unsayable(f"a struct without {attribute.name}")
        value = plain(given[attribute.name]) if attribute.name in given else attribute.default_value
        literal = _attribute(attribute, value)
        members.append(f".{c_name(rule_name(spec, attribute))} = {literal}")
    return f"&(const {prefix}_attributes){{{', '.join(members)}}}"


def _attribute(attribute: Attribute, value: object) -> str:
    kind = attribute.kind
    if value is None:
        return ABSENT[kind]
    literal = None
    if kind is AttributeKind.INTS:
        if isinstance(value, tuple) and all(type(item) is int for item in value):
            numbers = [_int64(item) for item in value]
            return f"INTS({', '.join(numbers)})" if numbers else "{NULL, 0}"
    elif kind is AttributeKind.INT:
        literal = _int64(value) if type(value) is int else None
    elif kind is AttributeKind.FLOAT:
        literal = _float(float(value)) if isinstance(value, (int, float)) else None
    elif isinstance(value, str) and "\0" not in value:
        return c_string(value)
    if literal is None:
        raise _Unsayable(f"{attribute.name} is of kind {kind.value}")
    return f"{{{literal}, 1}}" if is_optional(attribute) else literal


def _float(number: float) -> str:
    if math.isfinite(number):
        return f"{number!r}f"
    return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"


# Text


def _int64(number: object) -> str:
    if not isinstance(number, int) or not -(2**63) <= number < 2**63:
        raise _Unsayable(f"{number} is no int64")
    return "INT64_MIN" if number == -(2**63) else str(number)


def _macro(name: str, arguments: Iterable[str]) -> str:
    """A call of a macro, on as many lines as it needs below an indent of 8."""
    lines = [f"{name}("]
    for position, argument in enumerate(arguments):
        separator = ", " if position else ""
        first, *rest = argument.split("\n")
        if position and len(lines[-1]) + len(first) + 16 > _WIDTH:
            lines[-1] += ","
            lines.append("    " + first)
        else:
            lines[-1] += separator + first
        lines += ["    " + line for line in rest]
    return "\n".join(lines) + ")"
