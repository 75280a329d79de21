"""A fault of a model, or a fact about it that its author should know."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("error", "warning", "note")
"""The severities, the worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    Args:
        severity: ``error``: the model is not valid. ``warning``: some sizes or runtimes fail.
            ``note``: a fact, such as a node that cannot be checked.
        rule: the kind of the finding, as ``unknown-attribute``.
        part: the location in the file, as ``graph.node[3].attribute[0].g.node[1]``.
        node: the location in words, as ``node 1 'relu' in then_branch of node 3``.
        operator: the operator version, as ``Relu-14``; empty if none is concerned.
        text: the finding in words.
    """

    severity: str
    rule: str
    part: str
    node: str
    operator: str
    text: str

    def __str__(self) -> str:
        where = f"{self.node} ({self.part})" if self.node else self.part
        head = f"{self.severity}: {where}: " if where else f"{self.severity}: "
        label = f"{self.operator}: " if self.operator else ""
        return f"{head}{label}{self.text} [{self.rule}]"
