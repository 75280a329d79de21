"""Computes a constant behind the selection that reads it: an embedding is dequantised by its rows.

A Gather of a constant that elementwise nodes compute selects from their inputs instead, and the
nodes compute what is selected. The bits are the same, since each element depends on the same
elements as before; the whole table is neither computed nor stored. Families declare which operators
this holds for: ``elementwise`` and ``selects_along``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from opmill._model.graph import ABSENT, Node, live_nodes
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.types import Array, TensorType, dtype_of, element_word

_MIN_BYTES = 1 << 20
"""A smaller table is computed once and stored, which saves every run the nodes."""

_RANKS = (0, 1, 2)
"""The ranks of positions for which the result is compared with that of the selection."""


class Selections:
    """Rewrites the selections of a run.

    Args:
        nodes: the nodes of the run, in order.
        results: the numbers of its results.
        constants: the constants that no node computes, by number.
        size: the first number that no value has.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        results: Sequence[int],
        constants: Mapping[int, Array],
        size: int,
    ) -> None:
        self.constants = dict(constants)
        """The constants, with those that the new nodes read."""
        self.size = size
        """The first number that no value has, the new ones included."""
        self._results = frozenset(results)
        self._makers: dict[int, Node] = {}
        self._types: dict[int, TensorType] = {}
        self._readers = Counter(number for node in nodes for number in node.inputs)
        self._selected = Counter(node.inputs[0] for node in nodes if _axis_of(node) is not None)
        for number, value in constants.items():
            word = element_word(value.dtype)
            if word is not None:
                self._types[number] = TensorType(word, value.shape)
        for node in nodes:
            self._describe(node)
        found: list[Node] = []
        for node in nodes:
            found += self._rewritten(node)
        self.nodes = live_nodes(found, results) if len(found) != len(nodes) else list(nodes)
        """The nodes of the run."""

    def _describe(self, node: Node) -> None:
        """Record the type of a constant that an elementwise node computes."""
        operator = node.operator
        if not isinstance(operator, Operator) or not operator.elementwise or not node.is_pure:
            return
        if len(node.outputs) == 1 and all(n == ABSENT or n in self._types for n in node.inputs):
            try:
                (found,) = operator.infer(
                    [self._types.get(n) for n in node.inputs], node.attributes, node.count
                )
            except OpError:  # which a run reports, if it comes to the node
                return
            self._types[node.outputs[0]] = found
            self._makers[node.outputs[0]] = node

    def _rewritten(self, node: Node) -> list[Node]:
        """The nodes in the place of a node; itself where it is no selection of this kind."""
        axis = _axis_of(node)
        if axis is None or not self._may_move(node.inputs[0], self._selected):
            return [node]
        shape = _shape(self._types[node.inputs[0]])
        axis += len(shape) if axis < 0 else 0
        if not 0 <= axis < len(shape):
            return [node]
        before = self.size, dict(self.constants)
        moved = self._moved(node, self._makers[node.inputs[0]], axis, node.outputs[0])
        if moved is None or not self._agrees(node, moved):
            self.size, self.constants = before
            return [node]
        return moved

    def _may_move(self, number: int, selected: Mapping[int, int]) -> bool:
        """Return whether only selections, or one node, read a large value that a node computes."""
        if number not in self._makers or number in self._results:
            return False
        type_ = self._types[number]
        if prod(_shape(type_)) * dtype_of(type_.type).itemsize < _MIN_BYTES:
            return False
        return self._readers[number] == selected.get(number, 1)

    def _moved(self, gather: Node, maker: Node, axis: int, output: int) -> list[Node] | None:
        """The selections and the nodes that compute an output of what they select."""
        operator = maker.operator
        assert isinstance(operator, Operator)
        shape = _shape(self._types[maker.outputs[0]])
        nodes: list[Node] = []
        inputs: list[int] = []
        whole = False
        for position, number in enumerate(maker.inputs):
            given = () if number == ABSENT else _shape(self._types[number])
            if position not in operator.elementwise:
                if len(given) > 1 or prod(given) != 1:
                    return None
                inputs.append(number)
                continue
            at = axis - (len(shape) - len(given))
            if at >= 0 and given[at] == shape[axis]:
                whole = whole or len(given) == len(shape)
                inputs.append(self._select(gather, number, at, nodes))
            elif prod(given[: max(at + 1, 0)]) != 1:
                return None
            else:
                inputs.append(self._without_axes(number, max(at + 1, 0)))
            if inputs[-1] == ABSENT:
                return None
        if not whole:
            return None
        return [*nodes, replace(maker, inputs=tuple(inputs), outputs=(output,))]

    def _select(self, gather: Node, number: int, axis: int, nodes: list[Node]) -> int:
        """The number of what is selected of a value; ``ABSENT`` where it cannot be."""
        added = self._new()
        if self._may_move(number, {}):
            moved = self._moved(gather, self._makers[number], axis, added)
            if moved is not None:
                nodes += moved
                return added
        assert isinstance(gather.operator, Operator)
        name = gather.operator.selects_along
        nodes.append(
            replace(
                gather,
                inputs=(number, *gather.inputs[1:]),
                attributes={**gather.attributes, name: axis},
                outputs=(added,),
            )
        )
        return added

    def _without_axes(self, number: int, count: int) -> int:
        """The number of a constant without its first axes, of one element each."""
        if count == 0:
            return number
        if number not in self.constants:
            return ABSENT
        added = self._new()
        value = self.constants[number]
        self.constants[added] = value.reshape(value.shape[count:])
        return added

    def _new(self) -> int:
        self.size += 1
        return self.size - 1

    def _agrees(self, gather: Node, moved: Sequence[Node]) -> bool:
        """Return whether the nodes accept what is selected, and give the selection's shapes."""
        for rank in _RANKS:
            positions = TensorType("int64", (3, 2)[:rank])
            types = {**self._types, gather.inputs[1]: positions}
            types |= {
                number: TensorType(str(element_word(value.dtype)), value.shape)
                for number, value in self.constants.items()
                if number not in types
            }
            try:
                for node in (gather, *moved):
                    assert isinstance(node.operator, Operator)
                    given = [types.get(number) for number in node.inputs]
                    (found,) = node.operator.infer(given, node.attributes, node.count)
                    if types.setdefault(node.outputs[0], found) != found:
                        return False
            except OpError:
                return False
        return True


def _axis_of(node: Node) -> int | None:
    """The axis of a selection of one value by another one; ``None`` for other nodes."""
    operator = node.operator
    if not isinstance(operator, Operator) or not operator.selects_along:
        return None
    if len(node.inputs) != 2 or len(node.outputs) != 1 or ABSENT in (*node.inputs, *node.outputs):
        return None
    if node.inputs[0] == node.inputs[1]:
        return None
    (declared,) = (a for a in operator.schema.attributes if a.name == operator.selects_along)
    axis = node.attributes.get(operator.selects_along)
    return int(declared.default if axis is None else axis)


def _shape(type_: TensorType) -> tuple[int, ...]:
    """The shape of a constant, of which every dim is known."""
    return tuple(int(dim or 0) for dim in type_.shape)
