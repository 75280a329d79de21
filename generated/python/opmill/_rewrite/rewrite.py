"""Applies rewrite rules to a model's graph until none matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opmill._model.graph import Graph, Node
from opmill._rewrite import (
    activations,
    folded_scales,
    linear_layers,
    normalizations,
    transposes,
)
from opmill._rewrite.pattern import Match, match, name_of, operator_of
from opmill._rewrite.rule import RefusedError, Rule
from opmill._rewrite.view import View
from opmill._runtime.public import public

RULES: tuple[Rule, ...] = (
    *activations.RULES,
    *normalizations.RULES,
    *folded_scales.RULES,
    *linear_layers.RULES,
    *transposes.RULES,
)

_MAX_ROUNDS = 8
"""Passes over the graph; each finds what the ones before have uncovered."""


@public
class Rewritten(NamedTuple):
    """Nodes that ``optimize`` replaced.

    Args:
        nodes: the locations of the nodes in the model, in order.
        operators: their operator versions.
        result: what computes their result now.
    """

    nodes: tuple[str, ...]
    operators: tuple[str, ...]
    result: str

    def __str__(self) -> str:
        pairs = zip(self.nodes, self.operators, strict=True)
        listed = ", ".join(f"{node} ({operator})" for node, operator in pairs)
        return f"{self.result}: {listed}"


@public
class Unrewritten(NamedTuple):
    """Nodes that look like those that ``optimize`` replaces, and stay.

    Args:
        node: the location of the last of them in the model.
        operator: its operator version.
        result: what they look like.
        reason: the condition that does not hold.
    """

    node: str
    operator: str
    result: str
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.operator} is not part of {self.result}: {self.reason}"


def rewrite(graph: Graph) -> tuple[Graph, tuple[Rewritten, ...], tuple[Unrewritten, ...]]:
    """Rewrite a graph; the graphs of its nodes are left as they are.

    Returns:
        The changed graph, what was replaced, and what was not.
    """
    view = View(graph)
    found: list[Rewritten] = []
    left: list[Unrewritten] = []
    for _ in range(_MAX_ROUNDS):
        left.clear()
        changed = [one for rule in RULES for one in _apply(rule, view, left)]
        if not changed:
            break
        found += changed
    return view.graph(), tuple(found), tuple(left)


def _apply(rule: Rule, view: View, left: list[Unrewritten]) -> list[Rewritten]:
    """Rewrite all matches of a rule; of those that share nodes, the first."""
    found: list[Rewritten] = []
    nodes: list[Node] = []
    used: set[int] = set()
    for node in view.nodes:
        matched = _match(rule, node, view)
        new = None
        if matched is not None and used.isdisjoint(map(id, matched.nodes)):
            new = _built(rule, matched, view, left)
        if matched is None or new is None:
            nodes.append(node)
            continue
        nodes += new
        used.update(map(id, matched.nodes))
        found.append(_described(matched, new))
    if found:
        view.set_nodes(nodes)
    return found


def _match(rule: Rule, node: Node, view: View) -> Match | None:
    """The first match of a rule's patterns that ends with a node."""
    name = name_of(node)
    matches = (match(text, node, view) for text in rule.patterns if operator_of(text) == name)
    return next(filter(None, matches), None)


def _built(
    rule: Rule, matched: Match, view: View, left: list[Unrewritten]
) -> Sequence[Node] | None:
    """The nodes in the place of a match; ``None`` where a condition does not hold."""
    try:
        return rule.build(matched, view)
    except RefusedError as error:
        end = matched.end
        left.append(Unrewritten(end.location, end.label, rule.name, str(error)))
        return None


def _described(matched: Match, new: Sequence[Node]) -> Rewritten:
    members = {id(node): node for node in reversed(matched.nodes)}.values()
    return Rewritten(
        tuple(node.location for node in members),
        tuple(node.label for node in members),
        ", ".join(node.label for node in new),
    )
