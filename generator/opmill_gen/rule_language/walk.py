"""Walks the trees of ``ir``: what a part of a rule contains, and the names that it mentions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from opmill_gen.rule_language import ir

Node = ir.Statement | ir.Expression


def nodes(part: object) -> Iterator[Node]:
    """Every statement and expression of a part of a rule, from the outside in."""
    if isinstance(part, tuple):
        for item in part:
            yield from nodes(item)
    elif isinstance(part, Node):
        yield part
        for name in part.__dataclass_fields__:
            yield from nodes(getattr(part, name))


def children(part: object) -> Iterator[object]:
    """What a part of a rule consists of: its items, or the fields of a node."""
    if type(part) is tuple:
        yield from part
    elif isinstance(part, Node):
        yield from (getattr(part, name) for name in part.__dataclass_fields__)


def mapped(part: Any, change: Callable[[Node], object]) -> Any:
    """A part of a rule with each node changed, from the inside out.

    Args:
        part: a node, or a tuple of parts.
        change: gives what to put in place of a node; in a tuple of statements, several at once as
            a tuple.
    """
    if type(part) is tuple:
        items: list[object] = []
        for item in part:
            new = mapped(item, change)
            if type(new) is tuple and isinstance(item, Node):
                items += new
            else:
                items.append(new)
        return tuple(items)
    if not isinstance(part, Node):
        return part
    fields = {name: getattr(part, name) for name in part.__dataclass_fields__}
    new_fields = {name: mapped(value, change) for name, value in fields.items()}
    if any(new_fields[name] is not value for name, value in fields.items()):
        part = dataclasses.replace(part, **new_fields)
    return change(part)


def mentioned(part: object) -> set[str]:
    """The names of the parameters and local variables that a part of a rule mentions."""
    return {name for node in nodes(part) for name in _names(node)}


def called(part: object) -> set[str]:
    """The names of the helpers that a part of a rule calls."""
    return {node.helper for node in nodes(part) if isinstance(node, (ir.Call, ir.HelperCall))}


def typed_tensors(program: ir.RuleProgram) -> frozenset[str]:
    """The inputs of several tensors whose type the rule itself asks for, not a helper."""
    return frozenset(
        node.tensor.name
        for node in nodes(program.body)
        if isinstance(node, ir.TensorProperty)
        and node.property is ir.Property.TYPE
        and isinstance(node.tensor, ir.Variable)
        and node.tensor.kind is ir.Kind.TENSORS
    )


def _names(node: Node) -> Iterable[str]:
    match node:
        case (
            ir.Variable(name=name)
            | ir.IsAbsent(name=name)
            | ir.Assign(name=name)
            | ir.AssignElement(name=name)
            | ir.Append(name=name)
            | ir.For(name=name)
        ):
            return (name,)
    return ()
