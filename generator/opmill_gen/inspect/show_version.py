"""One operator version in the terminal: ``opmill show``."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from opmill_gen.base.diagnostics import Diagnostic
from opmill_gen.base.literals import paragraphs
from opmill_gen.inspect.version_diff import (
    count_text,
    signature_of_attribute,
    signature_of_parameter,
    types_text,
)
from opmill_gen.spec.operator_version import FACTS, OperatorVersion
from opmill_gen.yaml_reader.decode import GAP, OPEN

_WIDTH = 100
_INDENT = " " * 6


def show_version(
    path: str, spec: OperatorVersion, console: Console, gaps: Sequence[Diagnostic] = ()
) -> None:
    """Print a version: its signature, types, changes and errata.

    Args:
        path: the path of the spec.
        spec: what it says.
        console: where to print.
        gaps: what is still to be written in it, which is listed at the end.
    """
    unfinished = "; not finished" if gaps else ""
    console.print(f"[bold]{spec.label}[/bold] of {spec.domain}{unfinished}")
    for key in FACTS[1:]:  # the label has the number
        console.print(f"  {key}: {spec.facts[key]}")
    console.print()
    width = min(console.width, _WIDTH)
    console.print(paragraphs(spec.summary, width), markup=False, soft_wrap=True)
    for title, parameters in (("Inputs", spec.inputs), ("Outputs", spec.outputs)):
        console.print(f"\n[bold]{title}[/bold] ({count_text(parameters)})")
        for parameter in parameters:
            signature = f"{parameter.name}: {signature_of_parameter(parameter)}"
            _described(signature, parameter.description, console)
    if spec.attributes:
        console.print("\n[bold]Attributes[/bold]")
        for attribute in spec.attributes:
            signature = f"{attribute.name}: {signature_of_attribute(attribute)}"
            _described(signature, attribute.description, console)
    console.print("\n[bold]Types[/bold]")
    for name, constraint in spec.type_constraints.items():
        unused = " (unused: no parameter has this type)" if constraint.unused else ""
        _described(f"{name}: {types_text(constraint)}{unused}", constraint.description, console)
    console.print(
        f"\nexamples: {len(spec.examples)}, rejects: {len(spec.rejects)}, "
        f"family: {spec.family.name or GAP}, file: {path}"
    )
    for title, lines in (
        ("Changes", [f"{c.what} (shown by: {c.shown_by})" for c in spec.changes]),
        ("Errata", [f"{e.text.strip()}\n    We: {e.decision.strip()}" for e in spec.errata]),
        ("Still to be written", [_gap_text(g) for g in gaps]),
    ):
        if lines:
            console.print(f"\n[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  - {line}", markup=False, soft_wrap=True)


def _described(signature: str, description: str, console: Console) -> None:
    """Print a part of the signature, and below it what the spec says of it."""
    console.print(f"  {signature}", markup=False, soft_wrap=True)
    text = paragraphs(description.strip(), min(console.width, _WIDTH) - len(_INDENT))
    for line in text.splitlines():
        console.print(f"{_INDENT}{line}".rstrip(), markup=False, soft_wrap=True)


def _gap_text(gap: Diagnostic) -> str:
    return f"line {gap.location.line}: {gap.message.removeprefix(OPEN)}"
