"""The page about the conformance kit: how other runtimes fare, version by version."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import code, inline
from opmill_gen.emit.docs.pages import page_name, place
from opmill_gen.load.test_records import Records

_CELLS = {
    "right": "right",
    "partial": "right, some refused",
    "absent": "refused",
    "wrong": "**wrong**",
    "crashed": "**crashed**",
    "hung": "**hung**",
}
"""What a cell of the table says, by the status of a version."""


Places = Callable[[CheckedVersion, str], str]
"""The anchor of a version's case in the manual, by its name."""


def scoreboard_page(
    versions: Sequence[CheckedVersion], records: Records, places: Places
) -> dict[str, Any]:
    """The context of ``docs/conformance.md.j2``.

    Args:
        versions: every supported version; those that the record lacks have no row.
        records: the numbers of long test runs.
        places: finds the cases to which the page links.
    """
    targets = records.conformance_targets()
    rows = []
    for version in versions:
        entries = records.conformance(version.spec)
        if entries:
            rows.append((version, entries))
    return {
        "targets": [
            {"name": inline(name), "version": inline(release), **_totals(name, rows)}
            for name, release in targets.items()
        ],
        "rows": [
            {
                "label": inline(version.spec.label),
                "page": page_name(version),
                "anchor": place(version.spec, version.spec.since_version),
                "cells": [_cell(version, entries.get(name), places) for name in targets],
            }
            for version, entries in rows
        ],
        "failures": [
            _failure(version, name, entries[name], places)
            for version, entries in rows
            for name in targets
            if "smallest" in entries.get(name, {})
        ],
    }


def _totals(
    target: str, rows: Sequence[tuple[CheckedVersion, Mapping[str, Any]]]
) -> dict[str, int]:
    entries = [found[target] for _, found in rows if target in found]
    return {
        "versions": len(entries),
        **{status: sum(one["status"] == status for one in entries) for status in _CELLS},
        "computed_rejects": sum(one.get("computed_rejects", 0) for one in entries),
        "rejects": sum(one["rejects"] for one in entries),
    }


def _cell(version: CheckedVersion, entry: Mapping[str, Any] | None, places: Places) -> str:
    """What the table says of a runtime, with a link to the smallest case that fails."""
    if entry is None:
        return "not run"
    words = _CELLS[entry["status"]]
    if "smallest" not in entry:
        return words
    return f"[{words}](#{places(version, entry['smallest']['case'])})"


def _failure(
    version: CheckedVersion, target: str, entry: Mapping[str, Any], places: Places
) -> dict[str, Any]:
    spec, smallest = version.spec, entry["smallest"]
    case = smallest["case"] + (f" ({smallest['type']})" if smallest["type"] else "")
    return {
        "label": inline(spec.label),
        "target": inline(target),
        "case": inline(case),
        "anchor": places(version, smallest["case"]),
        "count": sum(entry.get(kind, 0) for kind in ("wrong", "crashed", "hung")),
        "text": code(smallest["text"].replace("|", "/")),
        "decisions": place(spec, spec.since_version, "decisions") if spec.errata else None,
    }
