"""Patterns of nodes, written as expressions, and where they match.

``Mul(x, Sigmoid(x))`` matches a Mul of a value and of its Sigmoid. A lower-case name stands for any
value, the same one wherever it occurs; ``*rest`` stands for the remaining inputs; a number for a
constant of one element that is equal but for rounding to its type. Inputs of Add and Mul match in
either order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from opmill._model.graph import ABSENT, Node
from opmill._rewrite.view import View
from opmill._runtime.types import Array

_COMMUTATIVE = frozenset({"Add", "Mul"})

_SINCE = {"Add": 7, "BatchNormalization": 7, "Div": 7, "Gemm": 7, "Mul": 7, "Pow": 7, "Sub": 7}
"""The first version that means what patterns mean: earlier ones broadcast, or train, otherwise."""

_ROUNDINGS = 8.0
"""Relative deviation of a constant from a pattern's number, in units of its type's precision."""


@dataclass(frozen=True, slots=True)
class Match:
    """Nodes that a pattern matches.

    Args:
        nodes: the matched nodes; the first one computes the result.
        numbers: for each name of the pattern, the number of its value.
        rest: the numbers of the inputs of ``*rest``.
        scalars: the numbers of the constants that the pattern's numbers matched.
    """

    nodes: tuple[Node, ...]
    numbers: Mapping[str, int]
    rest: tuple[int, ...]
    scalars: tuple[int, ...]

    @property
    def end(self) -> Node:
        """The node that computes the result."""
        return self.nodes[0]

    def node(self, name: str) -> Node:
        """The first matched node of an operator."""
        return next(node for node in self.nodes if name_of(node) == name)


def name_of(node: Node) -> str:
    """The name of an operator of ai.onnx; empty for others."""
    return node.label.rpartition("-")[0] if node.domain == "ai.onnx" else ""


def version_of(node: Node) -> int:
    """The operator version's number."""
    return int(node.label.rpartition("-")[2])


@cache
def parsed(text: str) -> ast.Call:
    """The expression of a pattern."""
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.Call), text
    return tree


def operator_of(text: str) -> str:
    """The name of the operator that computes the result of a pattern."""
    return _called(parsed(text))


def match(text: str, node: Node, view: View) -> Match | None:
    """The first match of a pattern that ends with a node.

    Nothing else reads what the matched nodes compute, but for the result.
    """
    for found in _call(parsed(text), node, view, Match((), {}, (), ())):
        if _is_closed(found, view):
            return found
    return None


def _called(tree: ast.Call) -> str:
    assert isinstance(tree.func, ast.Name)
    return tree.func.id


def _is_closed(found: Match, view: View) -> bool:
    """Return whether only matched nodes read what the others compute."""
    members = {id(node) for node in found.nodes}
    for node in found.nodes[1:]:
        for number in node.outputs:
            if view.is_result(number):
                return False
            if any(id(reader) not in members for reader in view.readers(number)):
                return False
    return True


def _call(tree: ast.Call, node: Node, view: View, so_far: Match) -> Iterator[Match]:
    name = _called(tree)
    if name_of(node) != name or version_of(node) < _SINCE.get(name, 1):
        return
    if any(number != ABSENT for number in node.outputs[1:]):
        return
    found = Match((*so_far.nodes, node), so_far.numbers, so_far.rest, so_far.scalars)
    yield from _inputs(tree.args, node.inputs, view, found)
    if name in _COMMUTATIVE and len(node.inputs) == 2:
        yield from _inputs(tree.args, node.inputs[::-1], view, found)


def _inputs(
    trees: Sequence[ast.expr], numbers: Sequence[int], view: View, so_far: Match
) -> Iterator[Match]:
    if trees and isinstance(trees[0], ast.Starred):
        yield Match(so_far.nodes, so_far.numbers, tuple(numbers), so_far.scalars)
        return
    if not trees:
        if not numbers:
            yield so_far
        return
    if numbers:
        for found in _value(trees[0], numbers[0], view, so_far):
            yield from _inputs(trees[1:], numbers[1:], view, found)


def _value(tree: ast.expr, number: int, view: View, so_far: Match) -> Iterator[Match]:
    if isinstance(tree, ast.Name):
        bound = so_far.numbers.get(tree.id)
        if bound is None and number != ABSENT:
            numbers = {**so_far.numbers, tree.id: number}
            yield Match(so_far.nodes, numbers, so_far.rest, so_far.scalars)
        elif bound == number:
            yield so_far
    elif isinstance(tree, ast.Constant):
        value = view.constant(number)
        if value is not None and _is_about(value, float(tree.value)):  # type: ignore[arg-type]
            scalars = (*so_far.scalars, number)
            yield Match(so_far.nodes, so_far.numbers, so_far.rest, scalars)
    else:
        assert isinstance(tree, ast.Call)
        maker = view.maker(number)
        if maker is not None:
            yield from _call(tree, maker, view, so_far)


def _is_about(value: Array, number: float) -> bool:
    """Return whether a constant of one element is a number, rounded to the constant's type."""
    if value.size != 1:
        return False
    try:
        found = float(value.reshape(())[()])
        precision = float(np.finfo(value.dtype).eps)
    except (TypeError, ValueError):
        return False
    return abs(found - number) <= _ROUNDINGS * precision * abs(number)
