"""Transposes that follow each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opmill._model.graph import Node
from opmill._rewrite.pattern import Match
from opmill._rewrite.rule import RefusedError, Rule, call
from opmill._rewrite.view import View


def _combined(match: Match, view: View) -> Sequence[Node]:
    """One Transpose, or an Identity where the second one undoes the first."""
    second, first = match.nodes
    outer, inner = second.attributes.get("perm"), first.attributes.get("perm")
    if outer is None or inner is None or sorted(outer) != list(range(len(inner))):
        raise RefusedError("a Transpose has no permutation of its own")
    perm = [int(inner[axis]) for axis in outer]
    if perm == sorted(perm):
        return [call(match, "Identity", first.inputs)]
    return [replace(second, inputs=first.inputs, attributes={"perm": perm})]


RULES = (Rule("Transpose", ("Transpose(Transpose(x))",), _combined),)
