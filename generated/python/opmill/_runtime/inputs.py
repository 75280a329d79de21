"""Turns the inputs of a call into arrays of known types, or refuses them.

Arrays must have exactly the type that the schema wants: nothing is cast. Only where it wants
int64 and nothing else, lists of integers are taken too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.containers import Container, ContainerReader
from opmill._runtime.counts import MAX_COMPUTED_VALUES, as_count, integer_text, length
from opmill._runtime.errors import OpError, TypeConstraintError, cut, one_of
from opmill._runtime.rule_support import Tensor, Tensors
from opmill._runtime.schema import Parameter, Schema, value_name
from opmill._runtime.types import (
    MAX_RANK,
    Array,
    TensorType,
    element_word,
    is_element_word,
    native,
)

Slot = tuple[Parameter, Tensor | Tensors | Container | None]
"""A parameter and what a call gives for it; a variadic parameter has several slots."""


class InputReader:
    """Reads the inputs of one operator version; made once, used for every call."""

    def __init__(self, schema: Schema) -> None:
        self._label = schema.label
        self._parameters = schema.inputs
        self._allowed: dict[str, tuple[str, ...]] = {
            parameter.name: _element_words(schema.type_constraints, parameter.type)
            for parameter in schema.inputs
        }
        others = {
            parameter.name: _other_types(schema.type_constraints, parameter.type)
            for parameter in schema.inputs
        }
        self._containers = (
            ContainerReader(
                self._label,
                others,
                self._tensor,
            )
            if any(others.values())
            else None
        )
        self._sequences = {
            parameter.name for parameter in schema.inputs if schema.is_sequence(parameter)
        }
        self._variables = set(schema.type_constraints)
        variadic = bool(schema.inputs) and schema.inputs[-1].option == "variadic"
        self._min_count = _min_inputs(schema.inputs)
        self._max_count = None if variadic else len(schema.inputs)

    def read(self, given: object, *, allow_types: bool) -> tuple[list[Slot], dict[str, str]]:
        """The slots in order, and the element type that each type variable is bound to.

        Args:
            given: arrays in schema order, ``None`` for an absent one; variadic ones spread out.
            allow_types: whether a ``TensorType`` may stand for an array.

        Raises:
            OpError: no list, too few or too many inputs, or something that is neither an array nor
                what else the schema accepts there.
            TypeConstraintError: an input of a type that the schema does not accept there.
        """
        if not isinstance(given, (list, tuple, Sequence)):  # an array would count as its rows
            got = type(given).__name__
            raise OpError(self._label, f"inputs has type {got}, expected a list of arrays")
        if length(given) > MAX_COMPUTED_VALUES and not isinstance(given, (list, tuple)):
            raise self._too_many("inputs", length(given))
        given = tuple(given)  # a list may change while NumPy copies
        if len(given) < self._min_count or (
            self._max_count is not None and len(given) > self._max_count
        ):
            raise OpError(self._label, messages.INPUT_COUNT.format(len(given), self._arity()))
        bound: dict[str, str] = {}
        first: dict[str, str] = {}
        slots: list[Slot] = []
        for position, value in enumerate(given):
            parameter = self._parameters[min(position, len(self._parameters) - 1)]
            name = value_name(self._parameters, position)
            if parameter.name in self._sequences and value is not None:
                slots.append((parameter, self._sequence(parameter, name, value, allow_types)))
                self._check_sequence(*slots[-1], name, bound, first)
                continue
            contained = self._containers and self._containers.read(parameter, name, value)
            if contained:
                slots.append((parameter, contained))
                continue
            if value is None:
                if parameter.option == "single" or parameter.option == "variadic":
                    raise OpError(self._label, messages.INPUT_ABSENT.format(name))
                slots.append((parameter, None))
                continue
            tensor = self._tensor(parameter, name, value, allow_types)
            self._check_type(parameter, tensor, bound, first)
            slots.append((parameter, tensor))
        for parameter in self._parameters[len(given) :]:
            if parameter.option != "variadic":
                slots.append((parameter, None))
        return slots, bound

    def _arity(self) -> str:
        if self._max_count is None:
            return messages.COUNT_AT_LEAST.format(self._min_count)
        if self._min_count == self._max_count:
            return str(self._min_count)
        return messages.COUNT_RANGE.format(self._min_count, self._max_count)

    def _tensor(self, parameter: Parameter, name: str, value: Any, allow_types: bool) -> Tensor:
        """Return the tensor given for a parameter; ``name`` is its name in messages."""
        if allow_types and hasattr(value, "type") and hasattr(value, "shape"):
            return self._tensor_of_type(name, value)
        array = self._array(parameter, name, value)
        word = element_word(array.dtype)
        if word is None:
            raise self._wrong_type(parameter, name, cut(str(array.dtype), 40))
        if word == "string" and array.dtype.kind == "O":
            self._check_strings(parameter, name, array)
        if not array.dtype.isnative:
            array = array.astype(native(array.dtype))
        return Tensor(name, word, array.shape, array)

    def _array(self, parameter: Parameter, name: str, value: Any) -> Array:
        if type(value) is np.ndarray:
            return value
        if isinstance(value, np.ma.MaskedArray):
            raise OpError(
                self._label, f"{name} has type MaskedArray, expected an array without a mask"
            )
        if isinstance(value, (np.ndarray, np.generic)):
            return np.asarray(value)
        if hasattr(value, "__array__"):
            return self._converted(name, value)
        only_int64 = self._allowed[parameter.name] == ("int64",)
        if only_int64 and isinstance(value, (int, list, tuple, range)):
            return self._integers(parameter, name, value)
        wanted = "a NumPy array"
        if parameter.option == "variadic" and isinstance(value, (list, tuple)):
            wanted += " (arrays one after the other, not in a list)"
        raise OpError(self._label, messages.WRONG_TYPE.format(name, type(value).__name__, wanted))

    def _converted(self, name: str, value: Any) -> Array:
        """An array of another library, which may refuse to become one of NumPy."""
        try:
            return np.asarray(value)
        except Exception as error:
            kind = f"{type(value).__module__}.{type(value).__name__}"
            wanted = f"one that converts to a NumPy array: {error}"
            words = messages.WRONG_TYPE.format(name, kind, wanted)
            raise OpError(self._label, words) from error

    def _integers(self, parameter: Parameter, name: str, value: Any) -> Array:
        """A list of integers as int64; anything else in it is refused rather than cast."""
        if isinstance(value, range) and length(value) > MAX_COMPUTED_VALUES:
            raise self._too_many(name, length(value))
        try:
            array = np.asarray(value)
        except (ValueError, OverflowError):
            raise self._wrong_type(parameter, name, "ragged list") from None
        if array.size == 0 and array.ndim == 1:
            return np.empty(0, np.int64)
        if array.dtype != np.int64:
            raise self._wrong_type(parameter, name, f"{type(value).__name__} of {array.dtype}")
        return array

    def _tensor_of_type(self, name: str, value: Any) -> Tensor:
        word, shape = value.type, value.shape
        if not isinstance(word, str) or not is_element_word(word):
            raise TypeConstraintError(
                self._label, f"{name} has type {word!r:.40}, expected an element type of ONNX"
            )
        try:
            dims = tuple(map(as_count, islice(shape, MAX_RANK + 1)))
        except (TypeError, ValueError):
            raise OpError(
                self._label, f"{name} has dims that are no integers, expected integers"
            ) from None
        if len(dims) > MAX_RANK:
            raise OpError(
                self._label, f"{name} has more than {MAX_RANK} dims, expected at most {MAX_RANK}"
            )
        for axis, dim in enumerate(dims):
            if not 0 <= dim < 2**63:
                found = f"{name}.shape[{axis}] is {integer_text(dim)}"
                raise OpError(self._label, f"{found}, expected 0 to 2^63-1")
        return Tensor(name, word, dims, None)

    def _check_strings(self, parameter: Parameter, name: str, array: Array) -> None:
        for kind in set(map(type, array.ravel().tolist())):
            if not issubclass(kind, (str, bytes)):
                raise self._wrong_type(parameter, name, f"object array of {kind.__name__}")

    def _too_many(self, what: str, count: int) -> OpError:
        found = f"{what} has {integer_text(count)} values"
        return OpError(self._label, f"{found}, expected at most {MAX_COMPUTED_VALUES}")

    def _wrong_type(self, parameter: Parameter, name: str, got: str) -> TypeConstraintError:
        wanted = one_of(self._allowed[parameter.name])
        return TypeConstraintError(self._label, messages.WRONG_TYPE.format(name, got, wanted))

    def _sequence(self, parameter: Parameter, name: str, value: Any, allow_types: bool) -> Tensors:
        assert self._containers is not None
        return self._containers.sequence(parameter, name, value, allow_types)

    def _check_sequence(
        self,
        parameter: Parameter,
        tensors: Any,
        name: str,
        bound: dict[str, str],
        first: dict[str, str],
    ) -> None:
        """Bind the element type of a sequence, which an empty list may leave open."""
        if not tensors.type or parameter.type not in self._variables:
            return
        expected = bound.setdefault(parameter.type, tensors.type)
        first.setdefault(parameter.type, name)
        if tensors.type != expected:
            raise TypeConstraintError(
                self._label,
                messages.OTHER_TYPE.format(name, tensors.type, expected, first[parameter.type]),
            )

    def _check_type(
        self, parameter: Parameter, tensor: Tensor, bound: dict[str, str], first: dict[str, str]
    ) -> None:
        variable = parameter.type
        expected = bound.get(variable)
        if expected is not None and parameter.homogeneous:
            if tensor.type != expected:
                raise TypeConstraintError(
                    self._label,
                    messages.OTHER_TYPE.format(tensor.name, tensor.type, expected, first[variable]),
                )
            return
        if tensor.type not in self._allowed[parameter.name]:
            raise self._wrong_type(parameter, tensor.name, tensor.type)
        if variable in self._variables and parameter.homogeneous:
            bound[variable] = tensor.type
            first[variable] = tensor.name


def _element_words(constraints: Any, type_: str) -> tuple[str, ...]:
    """The element types that a parameter accepts, as ``float`` for ``tensor(float)``.

    Where it accepts no tensors, those of optionals, whose contents are given as they are, or those
    of sequences.
    """
    types = constraints.get(type_, (type_,))
    for kind in ("tensor(", "optional(tensor(", "seq(tensor("):
        found = tuple(t[len(kind) :].rstrip(")") for t in types if t.startswith(kind))
        if found:
            return found
    return ()


def _other_types(constraints: Any, type_: str) -> tuple[str, ...]:
    """The types that a parameter accepts beside tensors, as ``seq(tensor(float))``."""
    types = constraints.get(type_, (type_,))
    return tuple(t for t in types if not t.startswith("tensor("))


def _min_inputs(parameters: tuple[Parameter, ...]) -> int:
    """Number of inputs a call must give at least."""
    minimum = 0
    for position, parameter in enumerate(parameters):
        if parameter.option == "single":
            minimum = position + 1
        elif parameter.option == "variadic" and parameter.min_arity:
            minimum = position + parameter.min_arity
    return minimum


def described(tensor: Tensor) -> TensorType:
    """The type and shape of a tensor."""
    return TensorType(tensor.type, tensor.shape, tensor.shape)
