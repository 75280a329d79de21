"""Sequences and optionals: what an input or an output holds that is no tensor.

A sequence is a list or tuple of arrays, an optional without contents is ``None``, one with contents
is these. A rule sees a sequence as the list of its tensors where its input can be nothing else. Of
an input that may also be a tensor, only the type is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from opmill._runtime import messages
from opmill._runtime.errors import OpError, TypeConstraintError
from opmill._runtime.maps import read_map
from opmill._runtime.public import public
from opmill._runtime.rule_support import Tensor, Tensors
from opmill._runtime.schema import Parameter
from opmill._runtime.types import Array, TypeLike, dtype_of, element_of_type, element_word

NO_CONTENTS = "optional"
"""The type of an optional without contents, whose element type is unknown."""

_EMPTY = "seq"
"""The type of an empty sequence, whose element type is unknown."""


@public
class TensorSequence(list[Array]):
    """A list of arrays that knows their element type where it is empty too.

    Operators return sequences as such lists, and take any list or tuple of arrays. Of an empty
    list that is none of these, the element type is open: it fits every operator.

    Args:
        arrays: the arrays, all of one element type.
        type: the element type: a NumPy dtype or its name, or ONNX's name; ``None`` for an open
            one. It counts where there are no arrays.
    """

    def __init__(self, arrays: Iterable[Array] = (), type: TypeLike | None = None) -> None:
        super().__init__(arrays)
        word = None if type is None else element_of_type(type)
        if type is not None and word is None:
            raise TypeError(f"{type!r} is no element type of ONNX")
        self._dtype = None if word is None else dtype_of(word)

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The dtype of the arrays; ``None`` where there are none and the type is open."""
        return self[0].dtype if self else self._dtype


def copied(value: Any) -> Any:
    """A value in memory of its own: an array, a list of arrays, or ``None``."""
    if isinstance(value, list):
        return TensorSequence([array.copy() for array in value], getattr(value, "dtype", None))
    return None if value is None else value.copy()


class Container:
    """A sequence, a map, or an optional without contents, that a call gives for an input.

    Args:
        name: what messages call the input.
        type: its type in ONNX's words, as ``seq(tensor(float))``; ``seq`` where it is empty,
            ``optional`` where there are no contents.
        value: the arrays, a dict, or ``None``.
        element: ONNX's word for the element type of a sequence; empty where that is open.
    """

    __slots__ = ("element", "name", "type", "value")

    def __init__(self, name: str, type: str, value: Any, element: str = "") -> None:
        self.name = name
        self.type = type
        self.value = value
        self.element = element


class ContainerReader:
    """Reads what is no tensor, where the schema of one operator version allows any.

    Args:
        label: the operator version, for messages.
        allowed: for each input the types that are no tensors.
        tensor: reads an array that is given for an input, by the name that messages call it.
    """

    def __init__(
        self,
        label: str,
        allowed: Mapping[str, tuple[str, ...]],
        tensor: Callable[[Parameter, str, Any, bool], Tensor],
    ) -> None:
        self._label = label
        self._allowed = allowed
        self._tensor = tensor

    def read(self, parameter: Parameter, name: str, value: Any) -> Container | None:
        """A sequence, a map or an optional without contents; ``None`` where the value is neither.

        Raises:
            OpError: something else where the schema accepts maps alone.
            TypeConstraintError: one of these of a type that the schema does not accept there.
        """
        allowed = self._allowed[parameter.name]
        if value is not None and allowed and all(type_.startswith("map(") for type_ in allowed):
            given = read_map(self._label, name, value, allowed)
            return Container(name, given.word, given)
        if value is None and any(type_.startswith("optional(") for type_ in allowed):
            return Container(name, NO_CONTENTS, None)
        if isinstance(value, (list, tuple)) and any("seq(" in type_ for type_ in allowed):
            tensors = self._sequence(parameter, name, value, allow_types=False)
            type_ = f"seq(tensor({tensors.type}))" if tensors else _EMPTY
            arrays = [tensor.array for tensor in tensors if tensor.array is not None]
            return Container(name, type_, arrays, tensors.type)
        return None

    def sequence(self, parameter: Parameter, name: str, value: Any, allow_types: bool) -> Tensors:
        """A sequence that is given for an input which can be nothing else.

        Args:
            parameter: the input.
            name: what messages call it.
            value: what is given.
            allow_types: whether a ``TensorType`` may stand for an array.

        Raises:
            OpError: it is no list of arrays.
            TypeConstraintError: a sequence of a type that the schema does not accept there.
        """
        if not isinstance(value, (list, tuple)):
            got = type(value).__name__
            raise OpError(self._label, messages.WRONG_TYPE.format(name, got, "a list of arrays"))
        return self._sequence(parameter, name, value, allow_types=allow_types)

    def _sequence(
        self, parameter: Parameter, name: str, value: Any, *, allow_types: bool
    ) -> Tensors:
        allowed = self._allowed[parameter.name]
        tensors = [
            self._tensor(parameter, f"{name}[{k}]", item, allow_types)
            for k, item in enumerate(tuple(value))
        ]
        words = list(dict.fromkeys(tensor.type for tensor in tensors))
        if len(words) > 1:
            raise TypeConstraintError(
                self._label,
                f"{name} has tensors of types {words[0]} and {words[1]}, expected one type",
            )
        dtype = getattr(value, "dtype", None)
        if not words and isinstance(dtype, np.dtype):
            words = [element_word(dtype) or str(dtype)]
        type_ = f"seq(tensor({words[0]}))" if words else _EMPTY
        if words and type_ not in allowed and f"optional({type_})" not in allowed:
            own = [other for other in allowed if other.startswith("seq(")]
            contents = [other[9:-1] for other in allowed if other.startswith("optional(seq(")]
            listed = ", ".join(own or contents)
            raise TypeConstraintError(
                self._label,
                messages.WRONG_TYPE.format(name, type_, messages.ONE_OF.format(listed)),
            )
        return Tensors(tensors, words[0] if words else "")
