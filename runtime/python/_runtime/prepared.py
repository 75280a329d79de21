"""Calls some of whose inputs are given beforehand, and packed where the C kernel gains by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from opmill._runtime import backend
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.errors import OpError, cut, one_of
from opmill._runtime.public import public
from opmill._runtime.types import Array

if TYPE_CHECKING:
    from opmill._runtime.operator import Operator

_CACHE_LINE = 64  # bytes

_PACKED: type[Any] | None = None
if "c" in backend.backends():
    from opmill import _native

    _PACKED = _native.Packed


def is_packed(value: Any) -> bool:
    """Return whether a value is the packed form of an array."""
    return type(value) is _PACKED


def unpacked(inputs: Any) -> Any:
    """The inputs of a call, with the array in the place of each packed form."""
    if isinstance(inputs, (list, tuple)) and any(map(is_packed, inputs)):
        return [value.array if is_packed(value) else value for value in inputs]
    return inputs


@public
class Prepared:
    """A call of an operator version that has some of its inputs and its attributes already.

    Made by the function ``prepare`` of a module, or by ``Operator.prepare``. The inputs that it has
    are copies, and those that its C kernel can pack are packed: for the instruction set that is
    chosen when it is made. A call with another one, or on the backend ``numpy``, uses the copies,
    and gives the bits that a call without ``prepare`` gives there. It may be called in several
    threads.

    Args:
        operator: the operator version.
        given: arrays by the inputs' names.
        attributes: by ONNX's names.

    Raises:
        OpError: no input has such a name, or what is given is not legal.
    """

    def __init__(
        self, operator: Operator, given: Mapping[str, Any], attributes: Mapping[str, Any]
    ) -> None:
        schema = operator.schema
        label = schema.label
        names = [parameter.alias or parameter.name for parameter in schema.inputs]
        positions = {name: k for k, name in enumerate(names)}
        positions |= {parameter.name: k for k, parameter in enumerate(schema.inputs)}
        inputs: list[Any] = [None] * len(names)
        for name, value in given.items():
            if name not in positions:
                known = one_of(names) if names else "none"
                raise OpError(label, f"input '{cut(str(name), 40)}' is unknown, expected {known}")
            if value is not None:
                inputs[positions[name]] = _copy(value)
        bound = bind_attributes(label, schema.attributes, attributes)
        self._operator = operator
        self._attributes = {name: value for name, value in bound.items() if value is not None}
        self._inputs = list(inputs)
        self._positions = {name: k for name, k in positions.items() if inputs[k] is None}
        self._has_one = len(schema.outputs) == 1
        self._open = tuple(k for k, value in enumerate(inputs) if value is None)
        for position in operator.preparable:
            if inputs[position] is not None:
                packed = operator.pack(inputs, self._attributes, position)
                if packed is not None:
                    self._inputs[position] = packed

    def __repr__(self) -> str:
        return f"<Prepared call of {self._operator.schema.label}>"

    def __reduce__(self) -> tuple[Any, ...]:
        names = [parameter.name for parameter in self._operator.schema.inputs]
        given = dict(zip(names, unpacked(self._inputs), strict=True))
        return Prepared, (self._operator, given, self._attributes)

    @property
    def nbytes(self) -> int:
        """The bytes of the packed forms, beside the arrays; 0 where nothing is packed."""
        return sum(value.nbytes for value in self._inputs if is_packed(value))

    def __call__(
        self,
        *inputs: Any,
        out: Any = None,
        outputs: int | None = None,
        **named: Any,
    ) -> Any:
        """Compute.

        Args:
            inputs: arrays for the inputs that were not given before, in schema order.
            out: as for the operator's function.
            outputs: as for the operator's function.
            named: arrays by the names of such inputs.

        Returns:
            What the operator's function returns.

        Raises:
            OpError: the call is not legal.
        """
        arguments = self._inputs.copy()
        for position, value in zip(self._open, inputs, strict=False):
            arguments[position] = value
        if named or len(inputs) > len(self._open):
            self._name(arguments, len(inputs), named)
        if self._has_one:
            return self._operator.result(arguments, self._attributes, out)
        return self._operator.first_or_all(arguments, self._attributes, out, outputs)

    def _name(self, arguments: list[Any], count: int, named: Mapping[str, Any]) -> None:
        """Set the inputs that are given by name, after the first ``count`` ones."""
        label = self._operator.schema.label
        if count > len(self._open):
            wanted = len(self._open)
            raise OpError(label, f"number of inputs is {count}, expected at most {wanted}")
        taken = self._open[:count]
        positions = {name: index for name, index in self._positions.items() if index not in taken}
        for name, value in named.items():
            if name not in positions:
                known = one_of(list(positions)) if positions else "none"
                raise OpError(
                    label, f"input '{cut(name, 40)}' is given already or unknown, expected {known}"
                )
            arguments[positions[name]] = value


def _copy(value: Any) -> Array:
    """An array of one's own that nobody changes. It begins at a cache line, for whole vectors."""
    given = np.asarray(value)
    if given.dtype.hasobject:
        array: Array = np.array(given, order="C")
    else:
        memory = np.empty(given.nbytes + _CACHE_LINE, np.uint8)
        start = -memory.ctypes.data % _CACHE_LINE
        array = memory[start : start + given.nbytes].view(given.dtype).reshape(given.shape)
        array[...] = given
    array.flags.writeable = False
    return array
