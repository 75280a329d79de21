"""Calls of Constant: a tensor of any type, sparse or not, or numbers and texts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from opmill_checks.drawing import Call, Dims, Draw, Illegal, choice, dims, happens, integer, product
from opmill_checks.value import TYPES, Sparse, Value, array_of_bits, items_of

Types = Mapping[str, tuple[str, ...]]
Names = Collection[str]

TEXTS = ("", "a", "FLOAT", "äöü", "with a space")
SINGLE = ("value_float", "value_int", "value_string")
LISTS = ("value_floats", "value_ints", "value_strings")


def elements(draw: Draw, type: str, shape: Dims) -> Value:
    """Elements of any bits that are some of the type."""
    count = product(shape) if 0 not in shape else 0
    if type == "string":
        return Value(type, shape, tuple(choice(draw, TEXTS) for _ in range(count)))
    patterns = [pattern(draw, type) for _ in range(min(count, 5))]
    bits = tuple(patterns[k % len(patterns)] for k in range(count))
    return Value(type, shape, items_of(array_of_bits(type, bits)), bits)


def pattern(draw: Draw, type: str) -> int:
    """The bits of an element."""
    return integer(draw, 0, 1 if type == "bool" else 2 ** TYPES[type].width - 1)


def sparse(draw: Draw, type: str) -> Sparse:
    """Some elements of a small shape, by either form of indices."""
    shape = dims(draw, choice(draw, (2, 1, 3)), 100)
    size = product(shape) if 0 not in shape else 0
    positions = sorted(
        {integer(draw, 0, size - 1) for _ in range(integer(draw, 0, 5))} if size else []
    )
    values = elements(draw, type, (len(positions),))
    if happens(draw, 50):
        return Sparse(values, Value("int64", (len(positions),), tuple(positions)), shape)
    rows = [index for position in positions for index in coordinates(position, shape)]
    return Sparse(values, Value("int64", (len(positions), len(shape)), tuple(rows)), shape)


def coordinates(position: int, shape: Dims) -> list[int]:
    """The index on each axis of a place in row-major order."""
    found: list[int] = []
    for dim in reversed(shape):
        found.insert(0, position % dim)
        position //= dim
    return found


def number(draw: Draw, name: str) -> Any:
    """Draw a value for an attribute of this name, or one of its values."""
    if "float" in name:
        return choice(draw, (1.0, 0.1, -0.0, float("inf"), -2.5))
    return (
        choice(draw, TEXTS) if "string" in name else choice(draw, (0, 1, -1, 2**63 - 1, -(2**63)))
    )


def legal(draw: Draw, *, types: Types, attributes: Names) -> Call:
    """One attribute, with any value."""
    name = choice(draw, sorted(attributes)) if happens(draw, 70) else "value"
    value: Any
    if name == "sparse_value":
        value = sparse(draw, choice(draw, types["T"]))
    elif name in SINGLE:
        value = number(draw, name)
    elif name in LISTS:
        value = [number(draw, name) for _ in range(choice(draw, (2, 1, 0, 5, 200)))]
    else:
        value = elements(
            draw, choice(draw, types["T"]), dims(draw, choice(draw, (1, 2, 0, 3)), 300)
        )
    return Call({}, {name: value})


def illegal(draw: Draw, *, types: Types, attributes: Names) -> Illegal:
    """No attribute or two, another type, indices that do not ascend or lie outside."""
    others = [word for word in TYPES if word not in types["T"]]
    fault = choice(draw, ("none", "type", "two", "order", "outside", "count"))
    if fault == "none" or "sparse_value" not in attributes:
        return Illegal(Call({}, {}), "AttributeValueError")
    if fault == "type" and others:
        value = elements(draw, choice(draw, others), (2,))
        return Illegal(Call({}, {"value": value}), "AttributeValueError")
    values = elements(draw, choice(draw, types["T"]), (2,))
    if fault == "two":
        both = {"value": values, "sparse_value": sparse(draw, values.type)}
        return Illegal(Call({}, both), "AttributeValueError")
    positions = (
        choice(draw, ((1, 1), (3, 0), (5, 4)))
        if fault == "order"
        else (0, choice(draw, (6, -1, 2**62)))
    )
    indices = Value("int64", (2,), positions)
    if fault == "count":
        indices = Value("int64", (1,), (0,))
    return Illegal(
        Call({}, {"sparse_value": Sparse(values, indices, (2, 3))}), "AttributeValueError"
    )
