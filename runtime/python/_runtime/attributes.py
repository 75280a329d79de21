"""Turns the attribute values of a call into what rules and kernels take, or refuses them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.counts import MAX_COMPUTED_VALUES, integer_text, length
from opmill._runtime.errors import AttributeValueError, cut, one_of
from opmill._runtime.schema import Attribute
from opmill._runtime.sparse import SparseTensor, sparse_of, sparse_problem
from opmill._runtime.types import element_word, native

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1


class _Refused(Exception):
    """The value is not of the attribute's kind."""


def bind_attributes(label: str, declared: tuple[Attribute, ...], given: object) -> dict[str, Any]:
    """The value of every declared attribute; ``None`` for one that is absent and has no default.

    Raises:
        AttributeValueError: an attribute is unknown, missing or of the wrong kind.
    """
    if not isinstance(given, (dict, Mapping)):
        got = type(given).__name__
        raise AttributeValueError(
            label, f"attributes has type {got}, expected a dict of values by name"
        )
    given = dict(given)  # which no other thread can change
    names = [attribute.name for attribute in declared]
    for name in given:
        if name not in names:
            wanted = one_of(names) if names else "none"
            raise AttributeValueError(
                label, f"attribute '{cut(str(name), 40)}' is unknown, expected {wanted}"
            )
    values: dict[str, Any] = {}
    for attribute in declared:
        value = given.get(attribute.name)
        if value is None:
            if attribute.required:
                raise AttributeValueError(label, messages.ATTRIBUTE_ABSENT.format(attribute.name))
            value = attribute.default
        if value is not None:
            try:
                value = _READERS[attribute.kind](value)
            except _Refused as refusal:
                found = f"attribute '{attribute.name}' is {given_text(value)}"
                wanted = f"{attribute.kind}{refusal}"
                raise AttributeValueError(label, f"{found}, expected {wanted}") from None
            if attribute.kind == "SPARSE_TENSOR":
                problem = sparse_problem(attribute.name, value)
                if problem is not None:
                    raise AttributeValueError(label, problem)
        values[attribute.name] = value
    return values


def given_text(value: object) -> str:
    """A value in a message: ``int 1``, ``str 'x'``, or ``of type list``."""
    name = type(value).__name__
    if isinstance(value, range):
        return f"range of {integer_text(length(value))} values"
    if isinstance(value, int) and not isinstance(value, bool):
        return integer_text(value, f"{name} ")
    if isinstance(value, (bool, float, str)):
        return f"{name} {cut(ascii(value), 40)}"
    return f"of type {name}"


def _integer(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise _Refused
    try:
        number = operator.index(value)
    except TypeError:
        raise _Refused from None
    if not _INT64_MIN <= number <= _INT64_MAX:
        raise _Refused(" of 64 bits")
    return number


def _float(value: Any) -> float:
    """A number as ONNX holds it: an attribute of kind FLOAT is a float32."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        raise _Refused
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    except OverflowError:
        raise _Refused from None


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise _Refused
    return str(value)


def _integers(values: Sequence[Any]) -> tuple[int, ...] | None:
    """Integers of Python that fit 64 bits; ``None`` for other values."""
    if set(map(type, values)) == {int} and _INT64_MIN <= min(values) <= max(values) <= _INT64_MAX:
        return tuple(values)
    return None


def _floats(values: Sequence[Any]) -> tuple[float, ...] | None:
    if set(map(type, values)) != {float}:
        return None
    with np.errstate(over="ignore"):
        return tuple(np.array(values, np.float64).astype(np.float32).tolist())


def _strings(values: Sequence[Any]) -> tuple[str, ...] | None:
    return tuple(values) if set(map(type, values)) == {str} else None


def _none(values: Sequence[Any]) -> None:
    """No values are read at once."""


def _list_of(
    read: Callable[[Any], Any],
    read_all: Callable[[Sequence[Any]], tuple[Any, ...] | None] = _none,
) -> Callable[[Any], tuple[Any, ...]]:
    """A reader of lists: all at once where ``read_all`` can, as trees have a million elements."""

    def read_list(value: Any) -> tuple[Any, ...]:
        if isinstance(value, np.ndarray):
            if value.ndim != 1:
                raise _Refused
            value = value.tolist() if value.dtype.kind in "iufb" else list(value)
        if not isinstance(value, (list, tuple, range)):
            raise _Refused
        if isinstance(value, range) and length(value) > MAX_COMPUTED_VALUES:
            raise _Refused
        found = read_all(value)
        return tuple(read(item) for item in value) if found is None else found

    return read_list


def _tensor(value: Any) -> np.ndarray[Any, Any]:
    """An array of one of ONNX's types, in this machine's byte order; objects are texts."""
    if not isinstance(value, (np.ndarray, np.generic)) or isinstance(value, np.ma.MaskedArray):
        raise _Refused
    array = np.asarray(value)
    if element_word(array.dtype) is None:
        raise _Refused
    if array.dtype.kind == "O":
        if not all(isinstance(item, (str, bytes)) for item in array.ravel().tolist()):
            raise _Refused
        return array
    return array if array.dtype.isnative else array.astype(native(array.dtype))


def _sparse(value: Any) -> SparseTensor:
    given = sparse_of(value)
    if given is None:
        raise _Refused
    _tensor(given.values)  # whose objects are texts
    return given


_TYPE = re.compile(r"(?:optional\(|seq\()*tensor\([a-z0-9]+\)+")


def _type(value: Any) -> str:
    """A type in ONNX's words."""
    if not isinstance(value, str) or not _TYPE.fullmatch(value):
        raise _Refused(", as 'tensor(float)'")
    return str(value)


def _graph(value: Any) -> Any:
    """A function from a graph's inputs to its outputs."""
    if not callable(value):
        raise _Refused(", a function")
    return value


def _as_given(value: Any) -> Any:
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "FLOAT": _float,
    "INT": _integer,
    "STRING": _string,
    "TENSOR": _tensor,
    "GRAPH": _graph,
    "SPARSE_TENSOR": _sparse,
    "TYPE_PROTO": _type,
    "FLOATS": _list_of(_float, _floats),
    "INTS": _list_of(_integer, _integers),
    "STRINGS": _list_of(_string, _strings),
    "TENSORS": _list_of(_tensor),
    "GRAPHS": _list_of(_graph),
    "SPARSE_TENSORS": _list_of(_as_given),
    "TYPE_PROTOS": _list_of(_type),
}
