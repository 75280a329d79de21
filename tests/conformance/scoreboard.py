"""Runs the known runtimes on the cases and writes tests/records/conformance.json.

    python tests/conformance/scoreboard.py [--operator Tile] [--target openvino] [--jobs 2]

With ``--operator``, the entries of other operators stay as they are; with ``--target``, those of
other runtimes. ``--stale`` runs the versions that now have another number of cases than the record.
OpenVINO takes the most time of those that the kit knows, about forty minutes for all operators.
With ``--minutes``, a runtime gets so much time: first one example of every version, then another
one, until the time is over. With both, one stale version after the other, until the time is over.
The record has the numbers of cases. It is written each minute, so that a run may be interrupted;
an entry never replaces one of more cases, unless it has all cases of the version.

A case that hangs runs again at the end, alone and with twice the time: a busy machine is no fault.

Each file ``runtimes/on_NAME.py`` adds a runtime: its docstring says how the runtime is run,
``__version__`` which release it is, and ``Backend`` has the interface of ONNX's backends.
"""

from __future__ import annotations

import ast
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from opmill import conformance

RECORD = Path(__file__).parents[1] / "records" / "conformance.json"
RUNTIMES = Path(__file__).parent / "runtimes"
KNOWN = {
    "onnxruntime": "on the CPU, one thread, without graph optimisations",
    "onnx.reference": "the reference evaluator of the onnx package",
    "openvino": "on the CPU, one thread, in float32 where it would choose a shorter type",
    "opencv": "the module dnn",
    "tinygrad": "its runner of ONNX's models on the CPU",
}
"""Runtimes that the conformance kit knows, and how it runs them."""
_LONGEST = 240
"""Characters of a difference that are stored."""
_INTERVAL = 60.0
"""Seconds between two writes of the record during a run."""

Sizes = Mapping[tuple[str, str], int]
"""The number of cases of each version, by domain and label."""


def added() -> dict[str, tuple[str, str]]:
    """The runtimes of the folder by name: the target of each, and how it is run."""
    found = {}
    for path in sorted(RUNTIMES.glob("on_*.py")):
        text = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        how = text.partition("\n")[0].partition(": ")[2].rstrip(".")
        name = path.stem.removeprefix("on_").replace("_", "-")
        found[name] = (f"{path.stem}:Backend", how)
    return found


TARGETS = (*KNOWN, *added())
"""The runtimes of the committed record."""


def in_turns(cases: Iterable[conformance.Case]) -> list[conformance.Case]:
    """Return the cases such that each version has one of the first, then another one.

    An invalid call follows after three examples. The newest version of an operator is in front.

    Args:
        cases: the cases, by operator and version.
    """
    turns: Counter[tuple[str, bool]] = Counter()
    keyed = []
    for case in cases:
        key = (case.label, case.is_reject)
        turn = 3 * turns[key] + 2 if case.is_reject else turns[key]
        keyed.append(((turn, case.is_reject, -case.schema.since_version), case))
        turns[key] += 1
    return [case for _, case in sorted(keyed, key=lambda one: one[0])]


def until(cases: Iterable[conformance.Case], minutes: float) -> Iterator[conformance.Case]:
    """Yield cases until the time is over.

    Args:
        cases: the cases.
        minutes: the time from the first case on.
    """
    end = time.monotonic() + 60 * minutes
    for case in cases:
        if time.monotonic() > end:
            return
        yield case


def stale(
    cases: Iterable[conformance.Case], record: Mapping[str, Any], target: str
) -> list[conformance.Case]:
    """Return the cases of versions that have another number of cases than the record counts.

    Args:
        cases: all cases.
        record: the record.
        target: the runtime.
    """
    sizes = sizes_of(cases)
    found = {
        (domain, label)
        for domain, label in sizes
        if size_of(record["versions"].get(domain, {}).get(label, {}).get(target, {}))
        != sizes[domain, label]
    }
    return [case for case in cases if _version_of(case) in found]


def sizes_of(cases: Iterable[conformance.Case]) -> Sizes:
    """Return the number of cases of each version.

    Args:
        cases: all cases.
    """
    return Counter(map(_version_of, cases))


def _version_of(case: conformance.Case) -> tuple[str, str]:
    return case.schema.domain, case.label


def size_of(entry: Mapping[str, Any]) -> int:
    """Return the number of cases that an entry of the record counts."""
    return sum(entry.get(key, 0) for key in (*conformance.Outcome, "rejects"))


def reports(
    name: str, cases: Iterable[conformance.Case], *, jobs: int, timeout: float
) -> Iterator[conformance.Report]:
    """Yield the growing report of a run, after each interval and at the end.

    Args:
        name: the runtime, as the kit expects it.
        cases: the cases.
        jobs: the number of processes.
        timeout: the seconds that a case may take; twice as many when it runs again.
    """
    report = conformance.Report(*conformance.target_version(name))
    hung = []
    due = time.monotonic() + _INTERVAL
    for result in conformance.results(name, cases, jobs=jobs, timeout=timeout):
        if result.outcome == conformance.Outcome.HUNG:
            hung.append(result.case)
        else:
            report.add(result)
        if time.monotonic() > due:
            yield report
            due = time.monotonic() + _INTERVAL
    for result in conformance.results(name, hung, timeout=2 * timeout):
        report.add(result)
    yield report


def update(
    record: dict[str, Any], target: str, report: conformance.Report, sizes: Sizes
) -> dict[str, Any]:
    """Store the entries of a report in the record, and return it.

    An entry of a part of a version's cases does not replace one of more cases.

    Args:
        record: the record.
        target: the runtime.
        report: the report of a run.
        sizes: the number of cases of each version.
    """
    for (domain, _, _), version in report.versions.items():
        entries = record["versions"].setdefault(domain, {}).setdefault(version.label, {})
        entry = entry_of(version)
        size = size_of(entry)
        if size >= min(sizes[domain, version.label], size_of(entries.get(target, {}))):
            entries[target] = entry
    return record


def entry_of(version: conformance.VersionReport) -> dict[str, Any]:
    """Return the record's entry of a version."""
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
@click.option("--stale", "only_stale", is_flag=True, help="Only versions with other cases now.")
@click.option("--minutes", type=float, help="The time for a runtime.  [default: unlimited]")
def main(
    operators: tuple[str, ...],
    targets: tuple[str, ...],
    jobs: int,
    timeout: float,
    minutes: float | None,
    only_stale: bool,
) -> None:
    """Write the record of the scoreboard."""
    sys.path.append(str(RUNTIMES))
    cases = list(conformance.cases(operators or None))
    sizes = sizes_of(cases)
    for target in targets:
        name, how = added().get(target, (target, KNOWN.get(target, "")))
        chosen: Iterable[conformance.Case] = stale(cases, read(), target) if only_stale else cases
        if minutes is not None:
            chosen = until(chosen if only_stale else in_turns(chosen), minutes)
        for report in reports(name, chosen, jobs=jobs, timeout=timeout):
            record = read()
            record["targets"][target] = report.target_version
            record["how"][target] = how
            if not operators:
                record["cases"][target] = len(cases)
            write(update(record, target, report, sizes))
        versions = report.versions.values()
        count = sum(sum(one.counts.values()) + sum(one.rejects.values()) for one in versions)
        failures = len(report.failures)
        print(f"{target} {report.target_version}: {count} cases, {failures} failures", flush=True)


def read() -> dict[str, Any]:
    """Return the record of the scoreboard."""
    record: dict[str, Any] = {"versions": {}}
    if RECORD.exists():
        record = json.loads(RECORD.read_text(encoding="utf-8"))
    return {"targets": {}, "how": {}, "cases": {}, **record}


def write(record: dict[str, Any]) -> None:
    """Write the record, sorted, a line for each runtime of a version."""
    lines = [
        "{",
        *(
            f" {json.dumps(key)}: {json.dumps(record[key], sort_keys=True)},"
            for key in ("targets", "how", "cases")
        ),
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
    fresh = RECORD.with_suffix(".new")
    fresh.write_text("\n".join([*lines, " }", "}"]) + "\n", encoding="utf-8")
    fresh.replace(RECORD)


if __name__ == "__main__":
    main()
