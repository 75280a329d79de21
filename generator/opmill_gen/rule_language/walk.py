"""Walks the trees of ``ir``: what a part of a rule contains, and the names that it mentions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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


def mentioned(part: object) -> set[str]:
    """The names of the parameters and local variables that a part of a rule mentions."""
    return {name for node in nodes(part) for name in _names(node)}


def called(part: object) -> set[str]:
    """The names of the helpers that a part of a rule calls."""
    return {node.helper for node in nodes(part) if isinstance(node, (ir.Call, ir.HelperCall))}


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
