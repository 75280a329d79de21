"""Number and types of a call's outputs: from the schema, the inputs, the attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from opmill._runtime import messages
from opmill._runtime.counts import MAX_OUTPUTS, as_count, integer_text
from opmill._runtime.errors import AttributeValueError, OpError, ShapeError
from opmill._runtime.inputs import Slot
from opmill._runtime.rule_support import Derived, Tensor, quoted
from opmill._runtime.sparse import SparseTensor
from opmill._runtime.schema import Parameter, Schema, TypeSource
from opmill._runtime.types import (
    TensorType,
    dtype_of,
    element_of_code,
    element_of_name,
    element_of_type,
    element_word,
    is_element_word,
    number_of_element,
)

_MAX_BYTES = 2**63 - 1


class Output(NamedTuple):
    """An output that a call requests. ``shape`` is a bound where ``exact`` is false.

    A sequence has ``items``, the shapes of its tensors, and no shape of its own.
    """

    parameter: Parameter
    type: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    exact: bool
    items: tuple[tuple[int, ...], ...] | None = None

    def described(self) -> Any:
        """The type and shape; a dim that only the data knows is ``None``. A list for a sequence."""
        if self.items is not None:
            return [TensorType(self.type, shape, shape) for shape in self.items]
        known = self.shape if self.exact else (None,) * len(self.shape)
        return TensorType(self.type, known, self.shape)


class OutputReader:
    """Finds the outputs of a call; made once for an operator version.

    Args:
        schema: the operator version.
        bounded: the outputs whose derived shapes are bounds, as the rule calls them.
    """

    def __init__(self, schema: Schema, bounded: frozenset[str]) -> None:
        self._label = schema.label
        self._parameters = schema.outputs
        self._sequences = {one.name for one in schema.outputs if schema.is_sequence(one)}
        self._zero_by_default = frozenset(a.name for a in schema.attributes if a.default == 0)
        self._flags = frozenset(a.name for a in schema.attributes if a.is_flag)
        self._constraints = schema.type_constraints
        self._bounded = bounded
        self._variadic = bool(schema.outputs) and schema.outputs[-1].option == "variadic"
        single = [k for k, parameter in enumerate(schema.outputs) if parameter.option == "single"]
        self._min_count = single[-1] + 1 if single else 0
        if self._variadic:
            self._min_count += schema.outputs[-1].min_arity

    def wanted(self, count: int | None) -> list[Parameter]:
        """The parameter of each output that a call requests.

        Raises:
            OpError: ``count`` is not a number of outputs that the schema allows.
        """
        if count is None:
            if self._variadic:
                raise OpError(
                    self._label, "number of outputs is absent, expected the argument outputs"
                )
            return list(self._parameters[: self._min_count])
        try:
            count = as_count(count)
        except TypeError:
            kind = type(count).__name__
            raise OpError(self._label, f"outputs has type {kind}, expected an integer") from None
        if count < self._min_count or (not self._variadic and count > len(self._parameters)):
            given = integer_text(count)
            raise OpError(self._label, messages.OUTPUT_COUNT.format(given, self._arity()))
        if count > MAX_OUTPUTS:
            arity = messages.COUNT_RANGE.format(self._min_count, MAX_OUTPUTS)
            raise OpError(self._label, messages.OUTPUT_COUNT.format(integer_text(count), arity))
        return [self._parameters[min(k, len(self._parameters) - 1)] for k in range(count)]

    def _arity(self) -> str:
        if self._variadic:
            return messages.COUNT_AT_LEAST.format(self._min_count)
        if self._min_count == len(self._parameters):
            return str(self._min_count)
        return messages.COUNT_RANGE.format(self._min_count, len(self._parameters))

    def typed(
        self,
        wanted: list[Parameter],
        derived: Derived,
        slots: list[Slot],
        bound: Mapping[str, str],
        attributes: Mapping[str, Any],
    ) -> list[Output]:
        """The outputs with their types and shapes.

        Raises:
            AttributeValueError: an attribute names a type that the schema does not allow.
            ShapeError: an output would be too large.
        """
        outputs: list[Output] = []
        for position, parameter in enumerate(wanted):
            name = parameter.alias or parameter.name
            if parameter.name in self._sequences:
                outputs.append(self._sequence(parameter, derived, bound, attributes))
                continue
            shapes = derived.shapes[name]
            shape = shapes[position - self._parameters.index(parameter)]
            if parameter.homogeneous:
                word = self._type(parameter, bound, attributes)
            else:  # of several types: those of the inputs of its type variable
                types = [given.type for one, given in slots if given and one.type == parameter.type]
                word = types[position - self._parameters.index(parameter)]
            dtype = self._dtype(parameter, word, slots)
            self._check_size(shape, dtype.itemsize)
            exact = name not in self._bounded
            outputs.append(Output(parameter, word, dtype, shape, exact))
        return outputs

    def check_other(self, parameter: Parameter, attributes: Mapping[str, Any]) -> None:
        """Check the attribute that names the type of an optional without contents.

        Raises:
            AttributeValueError: it is no type that the output can have.
        """
        allowed = self._constraints.get(parameter.type, (parameter.type,))
        for source in parameter.type_from:
            named = None if source.attribute is None else attributes[source.attribute]
            if named is not None and f"optional({named})" not in allowed:
                words = ", ".join(type_[len("optional(") : -1] for type_ in allowed)
                message = messages.NAMED_TYPE.format(source.attribute, quoted(named), words)
                raise AttributeValueError(self._label, message)

    def _sequence(
        self,
        parameter: Parameter,
        derived: Derived,
        bound: Mapping[str, str],
        attributes: Mapping[str, Any],
    ) -> Output:
        """A sequence; its type is open where it is that of an empty list."""
        word = self._type(parameter, bound, attributes)
        items = tuple(derived.shapes.get(parameter.alias or parameter.name, ()))
        if not is_element_word(word):
            return Output(parameter, "", np.dtype(object), (), True, items)
        dtype = dtype_of(word)
        for shape in items:
            self._check_size(shape, dtype.itemsize)
        return Output(parameter, word, dtype, (), True, items)

    def _type(
        self, parameter: Parameter, bound: Mapping[str, str], attributes: Mapping[str, Any]
    ) -> str:
        for source in parameter.type_from:
            if source.attribute is not None and source.fixed is not None:
                value = attributes[source.attribute]
                if value == 1 if source.attribute in self._flags else value is not None:
                    return _element(source.fixed)
                continue
            if source.attribute is not None and self._applies(source, parameter, attributes):
                return self._named(parameter, source.attribute, attributes[source.attribute])
            if source.variable is not None and source.fixed is not None:
                fixed = _element(source.fixed)
                if bound.get(source.variable) not in (None, fixed):
                    return fixed
                continue
            if source.variable is not None and source.variable in bound:
                return bound[source.variable]
            if source.fixed is not None:
                return _element(source.fixed)
        return bound.get(parameter.type) or _element(parameter.type)

    def _applies(
        self, source: TypeSource, parameter: Parameter, attributes: Mapping[str, Any]
    ) -> bool:
        """True if an attribute names the type: a default of 0, UNDEFINED, does not where others
        follow."""
        assert source.attribute is not None
        value = attributes[source.attribute]
        if source.attribute in self._zero_by_default and value == 0:
            return source is parameter.type_from[-1]
        return value is not None

    def _named(self, parameter: Parameter, attribute: str, value: Any) -> str:
        """The element type that an attribute names: a TensorProto.DataType as a number or by its
        name there, or a tensor's own."""
        message = messages.NAMED_TYPE
        if isinstance(value, np.ndarray):
            word, message = element_word(value.dtype), messages.NAMED_TENSOR
        elif isinstance(value, SparseTensor):
            word, message = element_word(value.values.dtype), messages.NAMED_TENSOR
        elif isinstance(value, str):
            word = element_of_name(value)
            value = quoted(value)
        else:
            word = element_of_code(value)
        allowed = self._constraints.get(parameter.type, (parameter.type,))
        accepted = [_element(type_) for type_ in allowed]
        if word is None or word not in accepted:
            expected = ", ".join(accepted)
            raise AttributeValueError(
                self._label, message.format(attribute, word or value, expected)
            )
        return word

    def type_attribute(self, name: str, kind: str, given: Any) -> Any:
        """The value of an attribute that names a type, of the attribute's kind.

        Args:
            name: the attribute.
            kind: its kind, INT or STRING.
            given: ONNX's number or name of a type, or a NumPy dtype or its name.

        Raises:
            AttributeValueError: a class or a text that is no element type.
        """
        if given is None or isinstance(given, (int, np.integer, np.bool_)):
            return given
        word = element_of_type(given)
        if word is None:
            text = isinstance(given, str)
            shown = f"'{quoted(given)}'" if text else f"of type {type(given).__name__}"
            expected = "a NumPy dtype, or ONNX's name or number of an element type"
            raise AttributeValueError(
                self._label, f"attribute '{name}' is {shown}, expected {expected}"
            )
        return number_of_element(word) if kind == "INT" else word.upper()

    def _dtype(self, parameter: Parameter, word: str, slots: list[Slot]) -> np.dtype[Any]:
        """The dtype of an output; strings come back in the kind of array that they came in.

        Inputs of its type may differ: the longest text fits, and objects hold any.
        """
        if word == "string" and not parameter.type_from:  # else the texts are new
            came = [
                tensor.array.dtype
                for given, tensor in slots
                if given.type == parameter.type
                and isinstance(tensor, Tensor)
                and tensor.array is not None
            ]
            if came and len({dtype.kind for dtype in came}) == 1:
                return np.result_type(*came)
        return dtype_of(word)

    def _check_size(self, shape: tuple[int, ...], itemsize: int) -> None:
        """NumPy's own bound, whatever the order of the dims: those other than 0 must multiply."""
        size = itemsize
        for dim in shape:
            if dim < 0:
                raise OpError(self._label, messages.DERIVED_DIM.format(dim))
            if dim:
                size *= dim
        if size > _MAX_BYTES:
            raise ShapeError(self._label, messages.OVERFLOW)


def _element(type_: str) -> str:
    """``float`` of ``tensor(float)`` and of ``seq(tensor(float))``."""
    return type_.removeprefix("seq(").removeprefix("tensor(").rstrip(")")
