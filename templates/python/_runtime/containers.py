"""Sequences and optionals: what an input holds that is no tensor.

A sequence is a list or tuple of arrays, an optional without contents is ``None``, one with contents
is these. Rules speak of tensors alone: what is legal of the others is their type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from opmill._runtime import messages
from opmill._runtime.errors import TypeConstraintError
from opmill._runtime.rule_support import Tensor
from opmill._runtime.schema import Parameter
from opmill._runtime.types import Array

NO_CONTENTS = "optional"
"""The type of an optional without contents: nothing says of what."""

_EMPTY = "seq"
"""The type of a sequence of no tensors: nothing says of which."""


class Container:
    """A sequence, or an optional without contents, that a call gives for an input.

    Args:
        name: what messages call the input.
        type: its type in ONNX's words, as ``seq(tensor(float))``; ``seq`` where it is empty,
            ``optional`` where there are no contents.
        value: the arrays, or ``None``.
    """

    __slots__ = ("name", "type", "value")

    def __init__(self, name: str, type: str, value: list[Array] | None) -> None:
        self.name = name
        self.type = type
        self.value = value


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
        tensor: Callable[[Parameter, str, Any], Tensor],
    ) -> None:
        self._label = label
        self._allowed = allowed
        self._tensor = tensor

    def read(self, parameter: Parameter, name: str, value: Any) -> Container | None:
        """A sequence or an optional without contents; ``None`` where the value is neither.

        Raises:
            TypeConstraintError: a sequence of a type that the schema does not accept there.
        """
        allowed = self._allowed[parameter.name]
        if value is None and any(type_.startswith("optional(") for type_ in allowed):
            return Container(name, NO_CONTENTS, None)
        if isinstance(value, (list, tuple)) and any("seq(" in type_ for type_ in allowed):
            return self._sequence(parameter, name, value, allowed)
        return None

    def _sequence(
        self, parameter: Parameter, name: str, value: Any, allowed: tuple[str, ...]
    ) -> Container:
        tensors = [self._tensor(parameter, f"{name}[{k}]", item) for k, item in enumerate(value)]
        words = list(dict.fromkeys(tensor.type for tensor in tensors))
        if len(words) > 1:
            raise TypeConstraintError(
                self._label,
                f"{name} has tensors of types {words[0]} and {words[1]}, expected one type",
            )
        type_ = f"seq(tensor({words[0]}))" if words else _EMPTY
        if words and type_ not in allowed and f"optional({type_})" not in allowed:
            listed = ", ".join(other for other in allowed if other.startswith("seq("))
            raise TypeConstraintError(
                self._label,
                messages.WRONG_TYPE.format(name, type_, messages.ONE_OF.format(listed)),
            )
        arrays = [tensor.array for tensor in tensors if tensor.array is not None]
        return Container(name, type_, arrays)
