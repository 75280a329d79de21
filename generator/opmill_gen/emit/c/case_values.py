"""Values of test tables as C: tensors and attributes.

Whole numbers where they tell the element in every type, exact formulas, bit patterns for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from opmill_gen.base.literals import c_string
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.header import ABSENT, LISTS, is_optional
from opmill_gen.rule_language import c_name
from opmill_gen.spec.attribute_values import SparseValue, attribute_value
from opmill_gen.spec.float_bits import (
    FORMATS,
    NARROW,
    float_bits,
    narrow_bits,
    pattern_width,
)
from opmill_gen.spec.operator_version import Attribute, AttributeKind, OperatorVersion
from opmill_gen.spec.tensor_values import Bits, Element, Fill, Formula, Given, TensorValue
from opmill_gen.yaml_reader.tree import Tree

WIDTH = 100
_WHOLE = 256  # every floating type holds the whole numbers up to here


class Unsayable(Exception):
    """What cannot be said in C: the reason."""


def tensor_literal(value: TensorValue | None) -> str:
    """A tensor of a case, as the macro TENSOR; ABSENT for none."""
    if value is None:
        return "ABSENT"
    parts = [value.type.name]
    if value.shape:
        parts.append(macro("DIMS", map(_int64, value.shape)))
    if value.size > 0:
        elements = _elements(value)
        if elements is not None:
            parts.append(elements)
    if len(parts) == 1:
        parts.append(".dims = NULL")
    return macro("TENSOR", parts)


def _elements(value: TensorValue) -> str | None:
    """The elements; ``None`` where a reference computes them, or where they do not matter."""
    source, element = value.source, value.type
    if isinstance(source, Formula):
        return _formula(value, source)
    if isinstance(source, Fill):
        numbers = _whole(element, [source.element])
        if numbers is not None:
            return macro("FORMULA", [numbers[0], "0", "0", "1", "0"])
        source = Given((source.element,) * value.size)
    if isinstance(source, Bits):
        return macro("BITS", (f"{pattern:#x}" for pattern in source.patterns))
    if not isinstance(source, Given):
        return None
    if element is ElementType.STRING:
        texts = [str(item) for item in source.elements]
        if any("\0" in text for text in texts):
            raise Unsayable("a string holds a NUL")
        return macro("TEXTS", map(c_string, texts))
    numbers = _whole(element, source.elements)
    if numbers is not None:
        return macro("NUMBERS", numbers)
    patterns = [p for item in source.elements for p in _patterns(element, item)]
    return macro("BITS", (f"{pattern:#x}" for pattern in patterns))


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
            raise Unsayable(f"{item} of the type {element.value}; give its bits")
        return [pattern]
    return [int(item) % 2**64]


def _formula(value: TensorValue, formula: Formula) -> str:
    """The formula, where C computes it in 64 bits and without rounding, else its elements."""
    scale, offset = formula.number("scale", 1), formula.number("offset", 0)
    exact = formula.elements(value.size)
    distinct = set(exact)
    products = {number - Fraction(offset) for number in distinct}
    fits = abs(formula.start) + abs(formula.step) * value.size < 2**63
    if fits and all(Fraction(float(number)) == number for number in distinct | products):
        parts = [_int64(formula.start), _int64(formula.step), _int64(formula.modulo or 0)]
        return macro("FORMULA", [*parts, repr(scale), repr(offset)])
    if value.type not in FORMATS:
        return macro("NUMBERS", (_int64(int(number)) for number in exact))
    return macro("BITS", (f"{float_bits(value.type, number):#x}" for number in exact))


# Attributes


def default_members(spec: OperatorVersion) -> dict[str, str]:
    """The members of a struct of attributes, each with its default; none for the required ones."""
    return {
        _member(spec, attribute): _attribute(attribute, attribute.default_value)
        for attribute in spec.attributes
        if attribute.default is not None or not attribute.required
    }


def attributes_literal(
    spec: OperatorVersion, struct: str, defaults: Mapping[str, str], given: Mapping[str, Tree]
) -> str | None:
    """The macro ATTRIBUTES with what is given and what differs; ``None`` where nothing is given.

    Args:
        spec: the version of the case.
        struct: how the struct's name begins, as ``opmill_tile_1``.
        defaults: the members of the struct as the macro has them, which may be another version's.
        given: the attributes of the case.
    """
    kinds = {attribute.name for attribute in spec.attributes}
    for name in given:
        if name not in kinds:
            raise Unsayable(f"there is no attribute {name}")
    if not given:
        return None
    own = default_members(spec)
    members = []
    for attribute in spec.attributes:
        member = _member(spec, attribute)
        if attribute.name in given:
            literal = _attribute(attribute, attribute_value(given[attribute.name]))
        elif member in own:
            literal = own[member]
        else:
            raise Unsayable(f"a struct without {attribute.name}")
        if attribute.name in given or literal != defaults.get(member):
            members.append(f"{member} = {literal}")
    return macro("ATTRIBUTES", [struct.removeprefix("opmill_"), *members])


def _member(spec: OperatorVersion, attribute: Attribute) -> str:
    """The designator of an attribute in an initializer of the struct."""
    return f".{c_name(rule_name(spec, attribute))}"


def _attribute(attribute: Attribute, value: object) -> str:
    kind = attribute.kind
    if value is None:
        return ABSENT[kind]
    literal = None
    if kind is AttributeKind.TENSOR and isinstance(value, TensorValue):
        return f"&(const opmill_tensor){_tensor_members(value)}"
    if kind is AttributeKind.SPARSE_TENSOR and isinstance(value, SparseValue):
        parts = [
            f"&(const opmill_tensor){_tensor_members(p)}" for p in (value.values, value.indices)
        ]
        dims = f"LIST(int64_t, {', '.join(map(_int64, value.dims))})" if value.dims else "NULL"
        members = f"{', '.join(parts)}, {dims}, {len(value.dims)}"
        return f"&(const opmill_sparse_tensor){{{members}}}"
    if kind in LISTS:
        items = _items(kind, value)
        if items is not None:
            return f"{kind.value}({', '.join(items)})" if items else "{NULL, 0}"
    elif kind is AttributeKind.INT:
        literal = _int64(value) if type(value) is int else None
    elif kind is AttributeKind.FLOAT:
        literal = _float(float(value)) if isinstance(value, (int, float)) else None
    elif isinstance(value, str) and "\0" not in value:
        return c_string(value)
    if literal is None:
        raise Unsayable(f"{attribute.name} is of kind {kind.value}")
    return f"{{{literal}, 1}}" if is_optional(attribute) else literal


def _tensor_members(value: TensorValue) -> str:
    """A tensor in memory: its elements by their bit patterns, packed where they are narrow."""
    members = [f".rank = {len(value.shape)}", f".type = OPMILL_{value.type.name}"]
    if value.shape:
        members.append(f".dims = {macro('LIST', ['int64_t', *map(_int64, value.shape)])}")
    if value.size and value.type is ElementType.STRING:
        texts = [c_string(str(item)) for item in _all_elements(value)]
        members.append(f".data = (const char *[]){{{', '.join(texts)}}}")
    elif value.size:
        width, patterns = _in_memory(value)
        listed = ", ".join(f"{pattern:#x}" for pattern in patterns)
        members.append(f".data = (uint{width}_t[]){{{listed}}}")
    return f"{{{', '.join(members)}}}"


def _in_memory(value: TensorValue) -> tuple[int, list[int]]:
    """The bits of the units that hold the elements, and the contents of each."""
    if isinstance(value.source, Bits):
        patterns = list(value.source.patterns)
    else:
        patterns = [one for item in _all_elements(value) for one in _patterns(value.type, item)]
    width = pattern_width(value.type)
    patterns = [pattern & ((1 << width) - 1) for pattern in patterns]
    if width >= 8:
        return width, patterns
    each = 8 // width
    return 8, [
        sum(pattern << width * k for k, pattern in enumerate(patterns[first : first + each]))
        for first in range(0, len(patterns), each)
    ]


def _all_elements(value: TensorValue) -> tuple[Element, ...]:
    source = value.source
    if isinstance(source, Given):
        return source.elements
    if isinstance(source, Fill):
        return (source.element,) * value.size
    raise Unsayable(f"an attribute as {type(source).__name__.lower()}")


def _items(kind: AttributeKind, value: object) -> list[str] | None:
    """The values of a list, each in C; ``None`` where one is of another kind."""
    if not isinstance(value, tuple):
        return None
    if kind is AttributeKind.INTS and all(type(item) is int for item in value):
        return [_int64(item) for item in value]
    if kind is AttributeKind.FLOATS and all(type(item) in (int, float) for item in value):
        return [_float(float(item)) for item in value]
    if kind is AttributeKind.STRINGS and all(
        isinstance(item, str) and "\0" not in item for item in value
    ):
        return [c_string(item) for item in value]
    return None


def _float(number: float) -> str:
    if math.isfinite(number):
        return f"{number!r}f"
    return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"


# Text


def _int64(number: object) -> str:
    if not isinstance(number, int) or not -(2**63) <= number < 2**63:
        raise Unsayable(f"{number} is no int64")
    return "INT64_MIN" if number == -(2**63) else str(number)


def macro(name: str, arguments: Iterable[str]) -> str:
    """A call of a macro, on as many lines as it needs below an indent of 8."""
    lines = [f"{name}("]
    for position, argument in enumerate(arguments):
        separator = ", " if position else ""
        first, *rest = argument.split("\n")
        if position and len(lines[-1]) + len(first) + 16 > WIDTH:
            lines[-1] += ","
            lines.append("    " + first)
        else:
            lines[-1] += separator + first
        lines += [line if position == 0 else "    " + line for line in rest]
    return "\n".join(lines) + ")"
