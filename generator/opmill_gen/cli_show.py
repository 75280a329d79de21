"""The commands that print what the specs say: ``opmill list``, ``show`` and ``diff``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from opmill_gen.check import Checked, CheckedVersion
from opmill_gen.cli_shared import (
    families_option,
    json_option,
    print_json,
    reported,
    sources,
    specs_option,
)
from opmill_gen.diagnostics import suggestion
from opmill_gen.literals import paragraphs
from opmill_gen.model import FACTS, Option, Parameter
from opmill_gen.run import checked_input
from opmill_gen.show_differences import show_differences
from opmill_gen.show_json import version_json


@click.command("list")
@specs_option
@families_option
@json_option
@reported
def list_command(specs: Path | None, families: tuple[Path, ...], as_json: bool) -> None:
    """List the operators that there are specs of, beside the published versions."""
    checked = checked_input(sources(specs, families))
    if as_json:
        print_json(_list_json(checked))
        return
    table = Table("operator", "domain", "milled", "published", "family", box=None, pad_edge=False)
    for (domain, operator), versions in _by_operator(checked).items():
        index = checked.indexes.get(domain)
        published = index.operators[operator].versions if index else ()
        table.add_row(
            operator,
            domain,
            ", ".join(str(v.spec.since_version) for v in versions),
            ", ".join(map(str, published)) or "-",
            ", ".join(dict.fromkeys(v.instance.family.name for v in versions)),
        )
    Console().print(table)
    for domain, index in checked.indexes.items():
        milled = sum(v.spec.domain == domain for v in checked.versions)
        total = sum(len(entry.versions) for entry in index.operators.values())
        click.echo(
            f"{domain}: {milled} of {total} versions milled, {len(index.operators)} operators "
            f"published up to opset {index.opset}"
        )


@click.command("show")
@click.argument("operator")
@click.argument("version", type=int, required=False)
@specs_option
@families_option
@json_option
@reported
def show_command(
    operator: str,
    version: int | None,
    specs: Path | None,
    families: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Show one operator version: its signature, types, examples, changes and errata."""
    chosen = _chosen(_versions_of(checked_input(sources(specs, families)), operator), version)
    if as_json:
        print_json({"ok": True, "faults": [], **version_json(chosen)})
    else:
        _show(chosen)


@click.command("diff")
@click.argument("operator")
@click.argument("old", type=int)
@click.argument("new", type=int)
@click.option("--all", "everything", is_flag=True, help="Print what is the same in both too.")
@specs_option
@families_option
@reported
def diff_command(
    operator: str,
    old: int,
    new: int,
    everything: bool,
    specs: Path | None,
    families: tuple[Path, ...],
) -> None:
    """Show two versions of an operator side by side."""
    found = _versions_of(checked_input(sources(specs, families)), operator)
    left, right = (_chosen(found, number).spec for number in (old, new))
    console = Console(highlight=False)
    show_differences([v.spec for v in found], left, right, console, everything=everything)


def _versions_of(checked: Checked, operator: str) -> list[CheckedVersion]:
    """The versions of an operator, ascending; the error suggests a name like the one given."""
    found = [v for v in checked.versions if v.spec.operator == operator]
    if not found:
        names = sorted({v.spec.operator for v in checked.versions})
        raise click.UsageError(f"there is no operator '{operator}'{suggestion(operator, names)}")
    return found


def _chosen(found: list[CheckedVersion], version: int | None) -> CheckedVersion:
    """The version of that number, the newest one where none is asked for."""
    chosen = [v for v in found if version in (None, v.spec.since_version)]
    if not chosen:
        known = ", ".join(str(v.spec.since_version) for v in found)
        operator = found[0].spec.operator
        raise click.UsageError(f"there is no version {version} of {operator}; there are {known}")
    return chosen[-1]


def _show(version: CheckedVersion) -> None:
    spec = version.spec
    console = Console(highlight=False)
    console.print(f"[bold]{spec.label}[/bold] of {spec.domain}")
    for key in FACTS[1:]:  # the label has the number
        console.print(f"  {key}: {spec.facts[key]}")
    console.print()
    width = min(console.width, 100)
    console.print(paragraphs(spec.summary, width), markup=False, soft_wrap=True)
    for title, parameters in (("Inputs", spec.inputs), ("Outputs", spec.outputs)):
        console.print(f"\n[bold]{title}[/bold]")
        for parameter in parameters:
            console.print(f"  {_parameter_text(parameter)}", markup=False)
    if spec.attributes:
        console.print("\n[bold]Attributes[/bold]")
        for attribute in spec.attributes:
            default = "" if attribute.default is None else f" = {attribute.default_value!r}"
            required = " (required)" if attribute.required else ""
            console.print(
                f"  {attribute.name}: {attribute.kind.value}{default}{required}", markup=False
            )
    console.print("\n[bold]Types[/bold]")
    for name, constraint in spec.type_constraints.items():
        console.print(f"  {name}: {', '.join(map(str, constraint.types))}", markup=False)
    console.print(
        f"\nexamples: {len(spec.examples)}, rejects: {len(spec.rejects)}, "
        f"family: {spec.family.name}, file: {version.path}"
    )
    for title, lines in (
        ("Changes", [f"{c.what} (shown by: {c.shown_by})" for c in spec.changes]),
        ("Errata", [f"{e.text.strip()}\n    We: {e.decision.strip()}" for e in spec.errata]),
    ):
        if lines:
            console.print(f"\n[bold]{title}[/bold]")
            for line in lines:
                console.print(f"  - {line}", markup=False, soft_wrap=True)


def _parameter_text(parameter: Parameter) -> str:
    option = "" if parameter.option is Option.SINGLE else f" ({parameter.option.value})"
    return f"{parameter.name}: {parameter.type}{option}"


def _list_json(checked: Checked) -> dict[str, Any]:
    operators = []
    for (domain, operator), versions in _by_operator(checked).items():
        index = checked.indexes.get(domain)
        operators.append(
            {
                "operator": operator,
                "domain": domain,
                "milled": [v.spec.since_version for v in versions],
                "published": list(index.operators[operator].versions) if index else None,
                "families": list(dict.fromkeys(v.instance.family.name for v in versions)),
            }
        )
    domains = [
        {
            "domain": domain,
            "opset": index.opset,
            "operators": len(index.operators),
            "versions": sum(len(entry.versions) for entry in index.operators.values()),
        }
        for domain, index in checked.indexes.items()
    ]
    return {"ok": True, "faults": [], "operators": operators, "domains": domains}


def _by_operator(checked: Checked) -> dict[tuple[str, str], list[CheckedVersion]]:
    groups: dict[tuple[str, str], list[CheckedVersion]] = {}
    for version in checked.versions:
        groups.setdefault((version.spec.domain, version.spec.operator), []).append(version)
    return groups
