"""Access to an operator for the checkers; maps a table's named tensors to positional ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from opmill_checks.value import Held, Sparse, SparseArrays, Value

Array = NDArray[Any]


class Operator(Protocol):
    """An operator version that computes. Inputs are in schema order, a variadic one's in a row.

    ``schema`` has ``name``, ``since_version``, ``inputs`` and ``outputs`` (each with ``name``,
    ``type`` and ``option``), ``attributes`` (each with ``name`` and ``default``), and
    ``type_constraints``.
    """

    @property
    def schema(self) -> Any: ...

    def __call__(
        self,
        inputs: Sequence[Any],
        attributes: Mapping[str, Any],
        *,
        out: Any = None,
        outputs: int | None = None,
    ) -> tuple[Any, ...]: ...

    def infer(
        self, inputs: Sequence[Any], attributes: Mapping[str, Any], outputs: int | None = None
    ) -> tuple[Any, ...]: ...


class Oracle(Protocol):
    """The independent computation of a family, from inputs by name to outputs by name."""

    def __call__(
        self, inputs: Mapping[str, Any], attributes: Mapping[str, Any]
    ) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class TypeAndShape:
    """An input for ``infer`` of which only the type and the shape are known."""

    type: str
    shape: tuple[int, ...]


def label(operator: Operator) -> str:
    """Prefix of the operator's messages, as ``Tile-13``."""
    return f"{operator.schema.name}-{operator.schema.since_version}"


def option(parameter: Any) -> str:
    """single, optional or variadic, whether the schema has the word or a member of an enum."""
    return str(getattr(parameter.option, "value", parameter.option))


def positional(parameters: Sequence[Any], given: Mapping[str, Any]) -> list[Any]:
    """Tensors by name in schema order, a variadic parameter's in a row, none absent at the end."""
    unknown = set(given) - {parameter.name for parameter in parameters}
    if unknown:
        raise ValueError(f"the schema has no {', '.join(sorted(unknown))}")
    values: list[Any] = []
    for parameter in parameters:
        value = given.get(parameter.name)
        if option(parameter) == "variadic":
            values.extend(value or ())
        else:
            values.append(value)
    while values and values[-1] is None:
        values.pop()
    return values


def parameter_at(parameters: Sequence[Any], position: int) -> Any:
    """The formal parameter of the tensor at a position; the last one, variadic, takes the rest."""
    return parameters[min(position, len(parameters) - 1)]


def value_name(parameters: Sequence[Any], position: int) -> str:
    """The name of the tensor at a position in messages: ``Xs[1]``, the second of a variadic."""
    formal = parameter_at(parameters, position)
    if option(formal) == "variadic":
        return f"{formal.name}[{position - len(parameters) + 1}]"
    return str(formal.name)


def first_name(parameters: Sequence[Any], name: str) -> str:
    """The name of the first tensor of a parameter in messages."""
    return value_name(parameters, [parameter.name for parameter in parameters].index(name))


def sharing(parameters: Sequence[Any], type: str) -> list[str]:
    """The names of the parameters with this type or type variable."""
    return [parameter.name for parameter in parameters if parameter.type == type]


def requested(parameters: Sequence[Any], outputs: Sequence[Any]) -> int | None:
    """Number of outputs to ask for: None where the schema leaves no choice."""
    return None if all(option(one) == "single" for one in parameters) else len(outputs)


def array_of(value: Value | Held | None) -> Any:
    """The array of an input, the list of those of a sequence; None where there is nothing."""
    return None if value is None else value.to_array()


def argument(value: Any) -> Any:
    """An attribute as the operator takes it: a tensor as an array, a list as a new list."""
    if isinstance(value, Value):
        return value.to_array()
    if isinstance(value, Sparse):
        parts = value.values.to_array(), value.indices.to_array()
        return SparseArrays(*parts, list(value.dims))
    return [argument(part) for part in value] if isinstance(value, (list, tuple)) else value


def arguments(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as the operator takes them."""
    return {name: argument(value) for name, value in attributes.items()}
