"""Classes of cases: examples, rejects, and terse tensors.

    Example(
        name="precomputed",
        inputs={"input": tensor("float", [[0, 1], [2, 3]]), "repeats": tensor("int64", [2, 2])},
        outputs={"output": tensor("float", [[0, 1, 0, 1], [2, 3, 2, 3]] * 2)},
    )

An absent optional input is left out or None; a variadic parameter is a list of tensors. A sequence
is ``sequence(tensor(...), tensor(...))``, an optional without contents ``no_contents()``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from opmill_checks.graphs import graph as graph
from opmill_checks.graphs import node as node
from opmill_checks.rounding import FORMATS, rounded
from opmill_checks.value import TYPES, Held, Sparse, Value, array_of_bits, items_of

inf = math.inf
nan = math.nan

Number = int | float | Fraction


@dataclass(frozen=True)
class ByOracle:
    """An expected output: the table says its type and shape, the oracle its elements."""

    type: str
    shape: tuple[int, ...]


Input = Value | Held | Sequence[Value | Held] | None
Output = Value | ByOracle | Held | Sequence[Value | ByOracle | Held]


@dataclass(frozen=True)
class Example:
    """Legal inputs and attributes, and what must come out.

    Args:
        name: what the example shows; unique in its table.
        inputs: by the names of the schema.
        attributes: those that are given; a tensor is a Value.
        outputs: by the names of the schema. Those not named are not requested.
        each_type: the type variable for whose every type the example is repeated.
        type: the element type in which this repeats the example before it, where an oracle
            computed the outputs of each.
        origin: how the outputs are known, as the corpus states it.
        rests_on: the errata without which ONNX's text allows other outputs.
        versions: those that have it; ``None`` for every one.
    """

    name: str
    inputs: Mapping[str, Input]
    outputs: Mapping[str, Output]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    each_type: str | None = None
    type: str | None = None
    origin: str = "hand"
    rests_on: tuple[str, ...] = ()
    versions: frozenset[int] | None = None

    @property
    def holds_others(self) -> bool:
        """True if a sequence or an optional without contents goes in or out."""
        return any(map(_holds_others, (*self.inputs.values(), *self.outputs.values())))


@dataclass(frozen=True)
class Reject:
    """A call that an operator must refuse, with the expected error.

    Args:
        name: what the reject shows; unique in its table.
        inputs: by the names of the schema, or a list of them in order, of any length.
        raises: the name of the error's class.
        error: the whole message after the prefix, as ``Tile-13: ``.
        attributes: those that are given.
        outputs: how many outputs the call asks for, if it says so.
        by_kernel: whether the kernel refuses it, for contents that rules do not see.
        rests_on: the errata without which ONNX's text allows the call.
        versions: those that refuse it; ``None`` for every one.
    """

    name: str
    inputs: Mapping[str, Input] | Sequence[Value | None]
    raises: str
    error: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    outputs: int | None = None
    by_kernel: bool = False
    rests_on: tuple[str, ...] = ()
    versions: frozenset[int] | None = None

    @property
    def holds_others(self) -> bool:
        """True if a sequence or an optional without contents goes in."""
        given = self.inputs.values() if isinstance(self.inputs, Mapping) else self.inputs
        return any(map(_holds_others, given))


def _holds_others(given: Any) -> bool:
    """Return whether a value, or one of those of a variadic parameter, is no tensor."""
    values = given if isinstance(given, (list, tuple)) else [given]
    return any(isinstance(value, Held) for value in values)


# Tensors


def tensor(type: str, value: Any, shape: Sequence[int] | None = None) -> Value:
    """The tensor of nested lists or one scalar. The nesting says the shape, unless it is given."""
    nesting = shape_of(value)
    items = flat(value, nesting)
    return Value(
        type, nesting if shape is None else tuple(shape), tuple(item(type, x) for x in items)
    )


def full(type: str, shape: Sequence[int], value: Any) -> Value:
    """A tensor whose elements are all ``value``."""
    return Value(type, tuple(shape), (item(type, value),) * math.prod(shape))


def formula(
    type: str,
    shape: Sequence[int],
    *,
    start: int = 0,
    step: int = 1,
    modulo: int | None = None,
    offset: Number = 0,
    scale: Number = 1,
) -> Value:
    """Element k is ``((start + step * k) % modulo) * scale + offset``, exact, rounded once."""
    numbers = [start + step * k for k in range(math.prod(shape))]
    if modulo is not None:
        numbers = [number % modulo for number in numbers]
    whole = scale == 1 and isinstance(offset, int)
    factor, summand = (1, offset) if whole else (Fraction(scale), Fraction(offset))
    # Exact arithmetic is slow, and a modulo leaves few distinct numbers.
    elements = {n: from_number(type, n * factor + summand) for n in set(numbers)}
    return Value(type, tuple(shape), tuple(elements[number] for number in numbers))


def bits(type: str, patterns: Any, shape: Sequence[int] | None = None) -> Value:
    """The tensor whose elements have these bit patterns, as ``bits("float", [0x7F800001])``."""
    nesting = shape_of(patterns)
    flat_patterns = tuple(flat(patterns, nesting))
    items = items_of(array_of_bits(type, flat_patterns))
    return Value(type, nesting if shape is None else tuple(shape), items, flat_patterns)


def sequence(*tensors: Value, type: str | None = None) -> Held:
    """A sequence of tensors; ``type`` is the element type of an empty one, where it is known."""
    return Held(tensors, type)


def no_contents() -> Held:
    """An optional without contents."""
    return Held(None)


def sparse(values: Value, indices: Value, dims: Sequence[int]) -> Sparse:
    """An attribute that is a sparse tensor."""
    return Sparse(values, indices, tuple(dims))


def by_oracle(type: str, shape: Sequence[int]) -> ByOracle:
    """An output of this type and shape, with the elements that the oracle finds."""
    return ByOracle(type, tuple(shape))


# Items


def item(type: str, given: Any) -> Any:
    """The element of ``type`` that a table writes as ``given``.

    Numbers may be written as text where Python has no literal: ``"-0-0j"``.
    """
    kind = TYPES[type].kind
    if kind == "string":
        if not isinstance(given, str):
            raise TypeError(f"{given!r} is not a string")
        return given
    if kind == "complex":
        number = complex(given)
        part = "float" if type == "complex64" else "double"
        return complex(rounded(number.real, part), rounded(number.imag, part))
    if kind == "bool":
        if not isinstance(given, bool):
            raise TypeError(f"{given!r} is not True or False")
        return given
    if kind == "float" and isinstance(given, str):
        given = float(given)
    if isinstance(given, bool) or not isinstance(given, int if kind == "integer" else Number):
        raise TypeError(f"{given!r} is not a {type}")
    return from_number(type, given)


def from_number(type: str, number: Number) -> Any:
    """The element of ``type`` that represents a number.

    Of bool it is whether the number is not zero; of string, its decimal text; of complex, the
    number and 0j. The IEEE 754 types round it; any other type must hold it exactly.
    """
    kind, width = TYPES[type].kind, TYPES[type].width
    if kind == "bool":
        return number != 0
    if kind == "string":
        return str(number)
    if kind == "complex":
        return complex(rounded(number, "float" if type == "complex64" else "double"), 0.0)
    if type in FORMATS:
        if isinstance(number, int) and abs(number) <= 256:  # every one of these types holds it
            return float(number)
        return rounded(number, type)
    if kind == "integer":
        lowest, highest = (
            (0, 2**width) if type.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1))
        )
        if number != int(number) or not lowest <= number < highest:
            raise ValueError(f"{number} is not a {type}")
        return int(number)
    nearest = items_of(np.array([float(number)]).astype(TYPES[type].dtype))[0]
    if nearest != number and not (math.isnan(nearest) and math.isnan(number)):
        raise ValueError(f"{type} cannot hold {number}, the nearest is {nearest}")
    return nearest


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of nested lists, by their first elements."""
    if not isinstance(value, (list, tuple)):
        return ()
    return (len(value), *shape_of(value[0])) if value else (0,)


def flat(value: Any, shape: tuple[int, ...]) -> list[Any]:
    """The scalars of nested lists, which must all nest as ``shape`` says."""
    if not shape:
        if isinstance(value, (list, tuple)):
            raise ValueError(f"a list where a scalar was expected: {value!r}")
        return [value]
    if not isinstance(value, (list, tuple)) or len(value) != shape[0]:
        raise ValueError(f"{value!r} is not a list of {shape[0]}: the nesting is ragged")
    return [scalar for part in value for scalar in flat(part, shape[1:])]


# Other types of the same example


def retyped(example: Example, names: Sequence[str], type: str) -> Example:
    """The example with the inputs and outputs of these names in another type, number for number.

    It is the same object for all versions and backends, which share what an oracle says of it.
    """
    key = id(example), tuple(names), type
    known = _RETYPED.get(key)
    if known is None or known[0] is not example:  # another had its number
        if len(_RETYPED) >= SHARED_RETYPED:
            _RETYPED.clear()
        known = _RETYPED[key] = example, _retyped(example, names, type)
    return known[1]


SHARED_RETYPED = 512
"""The examples in other types that are stored."""
_RETYPED: dict[tuple[int, tuple[str, ...], str], tuple[Example, Example]] = {}


def _retyped(example: Example, names: Sequence[str], type: str) -> Example:
    def changed(given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: other(one, type) if name in names else one for name, one in given.items()}

    return replace(example, inputs=changed(example.inputs), outputs=changed(example.outputs))


def other(value: Any, type: str) -> Any:
    """A tensor, several or none, in another type. The numbers must be whole and not negative."""
    if value is None:
        return None
    if isinstance(value, ByOracle):
        return ByOracle(type, value.shape)
    if isinstance(value, Held):
        if not value.items:
            return value if value.type is None else Held(value.items, type)
        return Held(tuple(other(v, type) for v in value.items))
    if not isinstance(value, Value):
        return [other(part, type) for part in value]
    for number in value.items:
        if isinstance(number, (str, complex)) or number < 0 or number != int(number):
            raise ValueError(f"{number!r} stands for no whole number, so that no other type has it")
    return Value(type, value.shape, tuple(from_number(type, int(number)) for number in value.items))


# Cases of types


def for_each_type(
    examples: Sequence[Example], types: Mapping[str, Sequence[str]]
) -> list[tuple[Example, str]]:
    """The examples that say ``each_type``, once for every type of that variable.

    One with a sequence is repeated for those that ``types`` has under ``seq(T)``, where the
    variable is T and its types are sequences.
    """
    return [
        (example, type)
        for example in examples
        if example.each_type
        for type in types.get(
            f"seq({example.each_type})" if example.holds_others else example.each_type,
            types[example.each_type],
        )
    ]


def other_types(types: Sequence[str]) -> list[str]:
    """Every element type of ONNX that is not among these."""
    return [type for type in TYPES if type not in types]
