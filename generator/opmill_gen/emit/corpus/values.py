"""Tensors of cases: as the values that oracles compute with, and as the text of the corpus."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from opmill_checks import case
from opmill_checks.value import TYPES, Held, Value, bits_of
from opmill_gen.spec.cases import Argument
from opmill_gen.spec.operator_version import OperatorVersion, Parameter
from opmill_gen.spec.tensor_values import Bits, ByOracle, Fill, Formula, Given, TensorValue

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*\Z")
_EXACT = 2**53
"""A double has every whole number below it."""
_READABLE = 64
"""Up to so many elements are written for readers, whatever their length."""


def tensor_value(tensor: TensorValue) -> Value | case.ByOracle:
    """The tensor as a value, with all its elements unless the oracle computes them."""
    source, type_ = tensor.source, tensor.type.value
    if isinstance(source, Given):
        items = tuple(case.item(type_, element) for element in source.elements)
        return Value(type_, tensor.shape, items)
    if isinstance(source, Bits):
        return case.bits(type_, list(source.patterns), tensor.shape)
    if isinstance(source, Fill):
        return case.full(type_, tensor.shape, source.element)
    if isinstance(source, Formula):
        return case.formula(
            type_,
            tensor.shape,
            start=source.start,
            step=source.step,
            modulo=source.modulo,
            offset=source.number("offset", 0),
            scale=source.number("scale", 1),
        )
    assert isinstance(source, ByOracle)
    return case.by_oracle(type_, tensor.shape)


def argument_value(
    argument: Argument | None, spec: OperatorVersion, parameter: Parameter | None = None
) -> Any:
    """Value of a parameter: one value, a sequence, a list of several, or ``None``."""
    if argument is None:
        return None
    if argument.tensors is None:
        optional = parameter is not None and spec.allows_optionals(parameter)
        return case.no_contents() if optional else None
    if argument.parts:
        return [
            case.no_contents() if part.tensors is None else argument_value(part, spec)
            for part in argument.parts
        ]
    values: list[Any] = [tensor_value(tensor) for tensor in argument.tensors]
    if argument.sequence:
        return Held(tuple(values), None if argument.element is None else argument.element.value)
    return values if argument.variadic else values[0]


def word(text: str) -> str:
    """A word of a line; quoted where it is none."""
    return text if _WORD.match(text) else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes, with JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)


def value_lines(head: str, value: Any) -> Iterator[str]:
    """The lines of one value behind ``input NAME`` or the like."""
    if value is None:
        yield f"{head} absent"
    elif isinstance(value, Held) and value.items is None:
        yield f"{head} empty"
    elif isinstance(value, Held):
        assert value.items is not None
        yield f"{head} sequence {value.type or '-'} {len(value.items)}"
        for item in value.items:
            yield f"tensor {tensor_text(item)}"
    else:
        yield f"{head} {tensor_text(value)}"


def tensor_text(value: Value) -> str:
    """A tensor on a line: its type, its dims, its elements."""
    dims = ",".join(map(str, value.shape))
    elements = _elements(value) if value.items else ""
    return f"{value.type} [{dims}] {elements}".rstrip(" ")


def _elements(value: Value) -> str:
    kind = TYPES[value.type].kind
    if kind == "string":
        return " ".join(map(quoted, value.items))
    if kind == "integer":
        return " ".join(map(str, value.items))
    if kind == "bool" and (value.bits is None or set(value.bits) <= {0, 1}):
        return " ".join("1" if item else "0" for item in value.items)
    array = value.to_array()
    patterns = bits_of(array)
    if kind == "bool":
        return "bits " + " ".join(f"{pattern:x}" for pattern in patterns)
    if kind == "complex":
        width = TYPES[value.type].width // 2
        part = "float" if value.type == "complex64" else "double"
        halves = [p >> shift & (1 << width) - 1 for p in patterns for shift in (0, width)]
        return _floats(part, halves, [x for item in value.items for x in (item.real, item.imag)])
    return _floats(value.type, patterns, value.items)


def _floats(type_: str, patterns: Sequence[int], numbers: Sequence[float]) -> str:
    """Real elements as numbers, or as bit patterns where these say more or are shorter."""
    texts = {
        pattern: _number(type_, pattern, number)
        for pattern, number in dict(zip(patterns, numbers, strict=True)).items()
    }
    if None not in texts.values():
        line = " ".join(str(texts[pattern]) for pattern in patterns)
        digits = TYPES[type_].width // 4 + 1
        if len(patterns) <= _READABLE or len(line) <= digits * len(patterns):
            return line
    return "bits " + " ".join(f"{pattern:x}" for pattern in patterns)


def _number(type_: str, pattern: int, number: float) -> str | None:
    """The shortest decimal that is read as the element; ``None`` where only its bits say it."""
    if math.isnan(number) and (pattern,) != bits_of(np.array([math.nan], TYPES[type_].dtype)):
        return None  # one of the many other patterns
    is_whole = math.isfinite(number) and number == int(number) and abs(number) < _EXACT
    if is_whole and (number != 0 or math.copysign(1, number) > 0):
        return str(int(number))
    if TYPES[type_].width < 16:
        return None
    if type_ == "float":
        text = str(np.float32(number))
        if np.float32(float(text)) == np.float32(number):
            return text
    return repr(float(number))
