"""Runs the known runtimes on every case and writes tests/records/conformance.json.

    python tests/conformance/scoreboard.py [--operator Tile] [--target openvino] [--jobs 2]

With ``--operator``, the entries of other operators stay as they are; with ``--target``, those of
other runtimes. OpenVINO takes the most time, about forty minutes for all operators.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from opmill import conformance

RECORD = Path(__file__).parents[1] / "records" / "conformance.json"
TARGETS = ("onnxruntime", "onnx.reference", "openvino", "opencv")
"""The runtimes of the committed record; --target chooses among these and adds others."""
_LONGEST = 240
"""Characters of a difference that are kept."""


def entry_of(version: conformance.VersionReport) -> dict[str, Any]:
    """What the record keeps of a version."""
    entry: dict[str, Any] = {"status": version.status, **dict(sorted(version.counts.items()))}
    if version.outside_types:
        entry["outside_types"] = version.outside_types
    if version.rejects["computed"]:
        entry["computed_rejects"] = version.rejects["computed"]
    if version.rejects["open"]:
        entry["open_rejects"] = version.rejects["open"]
    entry["rejects"] = sum(version.rejects.values())
    if version.failures:
        smallest = version.failures[0]
        entry["smallest"] = {
            "case": smallest.case.example,
            "type": smallest.case.type,
            "outcome": str(smallest.outcome),
            "text": smallest.text[:_LONGEST],
        }
    return entry


@click.command()
@click.option("--operator", "operators", multiple=True, help="Only this operator.")
@click.option("--target", "targets", multiple=True, default=TARGETS, help="Only this runtime.")
@click.option("--jobs", type=int, default=2, show_default=True)
@click.option("--timeout", type=float, default=60.0, show_default=True)
def main(operators: tuple[str, ...], targets: tuple[str, ...], jobs: int, timeout: float) -> None:
    """Write the record of the scoreboard."""
    record: dict[str, Any] = {"targets": {}, "versions": {}}
    if RECORD.exists():
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    cases = list(conformance.cases(operators or None))
    for target in targets:
        report = conformance.run(target, cases, jobs=jobs, timeout=timeout)
        record["targets"][target] = report.target_version
        for (domain, _, _), version in report.versions.items():
            known = record["versions"].setdefault(domain, {}).setdefault(version.label, {})
            known[target] = entry_of(version)
        failures = len(report.failures)
        print(f"{target} {report.target_version}: {len(cases)} cases, {failures} failures")
        sys.stdout.flush()
        write(record)


def write(record: dict[str, Any]) -> None:
    """Write the record, sorted, a line for each runtime of a version."""
    lines = [
        "{",
        ' "targets": ' + json.dumps(record["targets"], sort_keys=True) + ",",
        ' "versions": {',
    ]
    domains = sorted(record["versions"].items())
    for place, (domain, versions) in enumerate(domains):
        lines.append(f"  {json.dumps(domain)}: {{")
        labels = sorted(versions, key=lambda label: (label.split("-")[0], int(label.split("-")[1])))
        for number, label in enumerate(labels):
            lines.append(f"   {json.dumps(label)}: {{")
            entries = sorted(versions[label].items())
            for last, (target, entry) in enumerate(entries, 1):
                text = json.dumps(entry, ensure_ascii=True)
                lines.append(f"    {json.dumps(target)}: {text}{',' * (last < len(entries))}")
            lines.append("   }" + "," * (number + 1 < len(labels)))
        lines.append("  }" + "," * (place + 1 < len(domains)))
    RECORD.write_text("\n".join([*lines, " }", "}"]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
