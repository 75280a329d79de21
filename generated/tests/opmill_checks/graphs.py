"""Graphs of a table, which are attributes, and the checker of the examples that give them.

A graph runs here in NumPy alone, so that the operators under test have no part in what it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Held, Value, dtype_of


@dataclass(frozen=True)
class TensorOf:
    """The type and shape that a graph declares of an output."""

    type: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A node of a graph.

    Args:
        op: ONNX's name of the operator, one of ``OPERATORS``.
        inputs: the names of its inputs.
        outputs: the names of its outputs.
        attributes: by name; a tensor is a Value.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class Graph:
    """A graph, which is called with a value for each input and returns its outputs.

    Args:
        inputs: the names of the inputs.
        nodes: in an order in which they can be computed.
        outputs: the names of the outputs.
        types: what it declares of outputs, by name.
    """

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[str, ...]
    types: Mapping[str, TensorOf] = field(default_factory=dict)

    def __call__(self, *arguments: Any) -> tuple[Any, ...]:
        """The outputs, as arrays, lists of arrays, or ``None``."""
        values = dict(zip(self.inputs, arguments, strict=True))
        for one in self.nodes:
            results = OPERATORS[one.op](*(values[name] for name in one.inputs), **one.attributes)
            values.update(zip(one.outputs, results, strict=True))
        return tuple(values[name] for name in self.outputs)

    @property
    def output_types(self) -> tuple[TensorOf | None, ...]:
        """The declared types of the outputs."""
        return tuple(self.types.get(name) for name in self.outputs)

    def of_values(self, *arguments: Any) -> list[Any]:
        """The outputs as an oracle has them."""
        given = [None if one is None else one.to_array() for one in arguments]
        return [value_of(result) for result in self(*given)]


def value_of(result: Any) -> Value | Held:
    """An array, a list of arrays, or ``None`` as a table has it."""
    if result is None:
        return Held(None)
    if isinstance(result, list):
        return Held(tuple(map(Value.from_array, result)))
    return Value.from_array(np.asarray(result))


def graph(
    inputs: Sequence[str],
    nodes: Sequence[Node],
    outputs: Sequence[str],
    **types: tuple[str, Sequence[int]],
) -> Graph:
    """A graph, as tables write it; the types of outputs are given by their names."""
    declared = {name: TensorOf(type, tuple(shape)) for name, (type, shape) in types.items()}
    return Graph(tuple(inputs), tuple(nodes), tuple(outputs), declared)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any) -> Node:
    """A node, as tables write it."""
    return Node(op, tuple(inputs), tuple(outputs), attributes)


def _constant(*, value: Value) -> tuple[Any]:
    return (value.to_array(),)


def _copied(x: Any) -> tuple[Any]:
    if x is None or isinstance(x, list):
        return (x,)
    return (np.array(x),)


def _insert(sequence: list[Any], tensor: Any) -> tuple[Any]:
    return ([*sequence, tensor],)


def _no_contents(*, type: str) -> tuple[None]:
    return (None,)


def _concat(*tensors: Any, axis: int) -> tuple[Any]:
    return (np.concatenate(tensors, axis),)


def _of_numpy(function: Callable[..., Any]) -> Callable[..., tuple[Any]]:
    return lambda *tensors: (np.asarray(function(*tensors)),)


OPERATORS: Mapping[str, Callable[..., tuple[Any, ...]]] = {
    "Add": _of_numpy(np.add),
    "Concat": _concat,
    "Constant": _constant,
    "Identity": _copied,
    "Less": _of_numpy(np.less),
    "Mul": _of_numpy(np.multiply),
    "Not": _of_numpy(np.logical_not),
    "Optional": _no_contents,
    "SequenceConstruct": lambda *tensors: (list(tensors),),
    "SequenceInsert": _insert,
}
"""What the nodes of tables' graphs compute."""


def along(value: Value, axis: int, index: int) -> Value:
    """The elements of a tensor at an index of an axis."""
    shape = (*value.shape[:axis], *value.shape[axis + 1 :])
    positions = [
        ravel((*rest[:axis], index, *rest[axis:]), value.shape) for rest in indices(shape)
    ]
    return value.take(shape, positions)


def laid(values: Sequence[Value], axis: int, declared: TensorOf | None) -> Value:
    """Tensors of one shape along a new axis; none of a declared type as an empty tensor."""
    inner = values[0].shape if values else declared.shape if declared else ()
    axis %= len(inner) + 1
    shape = (*inner[:axis], len(values), *inner[axis:])
    if not values:
        assert declared is not None
        return Value.from_array(np.empty(shape, dtype_of(declared.type)))
    items = tuple(
        values[position[axis]].items[ravel((*position[:axis], *position[axis + 1 :]), inner)]
        for position in indices(shape)
    )
    return Value(values[0].type, shape, items)
