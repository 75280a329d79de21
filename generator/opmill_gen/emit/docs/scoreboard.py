"""The pages about the conformance kit: how other runtimes compute the versions of each operator."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from opmill_gen.base.names import domain_package
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.markdown import anchor, code, inline
from opmill_gen.emit.docs.pages import anchor_of
from opmill_gen.load.test_records import Records

_WORDS = {
    "right": "right",
    "open": "open",
    "partial": "part refused",
    "absent": "refused",
    "wrong": "wrong",
    "crashed": "crashed",
    "hung": "hung",
    None: "not run",
}
"""Text of a cell of the table, by the status of a version."""
_STATUSES = tuple(filter(None, _WORDS))
_OUTCOMES = ("right", "open", "wrong", "refused", "crashed", "hung")
"""Counts of examples in an entry of the record; invalid calls are counted as rejects."""


Anchors = Callable[[CheckedVersion, str], str]
"""The anchor of a version's case in the manual, by its name."""
Row = tuple[CheckedVersion, Mapping[str, Any]]
"""A version and what each runtime made of its cases, by the runtime's name."""


def scoreboard_page(
    versions: Sequence[CheckedVersion], records: Records, *, linked: bool = True
) -> dict[str, Any]:
    """The context of ``docs/conformance.md.j2``: a row for each operator.

    Args:
        versions: every supported version; those that the record lacks have no row.
        records: the numbers of long test runs.
        linked: whether what fails links to the page of the runtime's failures.
    """
    targets = records.conformance_targets()
    rows = _rows(versions, records)
    return {
        "versions": len(versions),
        "targets": [
            {
                "name": inline(name),
                "version": inline(release),
                "page": target_page(name),
                "how": inline(records.conformance_how(name)),
                **_totals(name, rows),
                "cases": records.conformance_cases(name),
            }
            for name, release in targets.items()
        ],
        "rows": [
            {
                "name": inline(found[0][0].spec.operator),
                "anchor": anchor_of(found[-1][0].spec, found[-1][0].spec.since_version),
                "cells": [_cell(found, target, linked=linked) for target in targets],
            }
            for found in _by_operator(rows)
        ],
    }


def target_page(target: str) -> str:
    """The name of a runtime's page, without a folder: ``onnx_reference``."""
    return re.sub(r"\W+", "_", target).lower()


def failures_page(
    target: str, versions: Sequence[CheckedVersion], records: Records, anchors: Anchors
) -> dict[str, Any]:
    """The context of ``docs/conformance_target.md.j2``: what one runtime computes otherwise.

    Args:
        target: the runtime.
        versions: every supported version.
        records: the numbers of long test runs.
        anchors: finds the cases to which the page links.
    """
    rows = [row for row in _rows(versions, records) if "smallest" in row[1].get(target, {})]
    return {
        "target": inline(target),
        "version": inline(records.conformance_targets()[target]),
        "operators": [
            {
                "name": inline(found[0][0].spec.operator),
                "anchor": _failures_of(target, found[0][0]),
                "failures": list(_failures(target, found, anchors)),
            }
            for found in _by_operator(rows)
        ],
    }


def _rows(versions: Sequence[CheckedVersion], records: Records) -> list[Row]:
    found = ((version, records.conformance(version.spec)) for version in versions)
    return [row for row in found if row[1]]


def _by_operator(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for _, found in groupby(rows, lambda row: (row[0].spec.domain, row[0].spec.operator)):
        yield list(found)


def _totals(target: str, rows: Sequence[Row]) -> dict[str, int]:
    entries = [found[target] for _, found in rows if target in found]
    return {
        "versions": len(entries),
        "run": sum(one.get(key, 0) for one in entries for key in (*_OUTCOMES, "rejects")),
        **{status: sum(one["status"] == status for one in entries) for status in _STATUSES},
        **{key: sum(one.get(key, 0) for one in entries) for key in ("computed_rejects", "rejects")},
        "open_results": sum(one.get("open", 0) + one.get("open_rejects", 0) for one in entries),
    }


def _cell(rows: Sequence[Row], target: str, *, linked: bool) -> str:
    """The versions of an operator by a runtime's results; what fails or is open may be a link."""
    groups: dict[str | None, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[1].get(target, {}).get("status"), []).append(row)
    return "; ".join(
        _group(status, groups[status], target if linked else None, names_versions=len(groups) > 1)
        for status in _WORDS
        if status in groups
    )


def _group(
    status: str | None, rows: Sequence[Row], target: str | None, *, names_versions: bool
) -> str:
    text = _WORDS[status]
    if names_versions:
        text += " " + _numbers(rows)
    if target is None:
        return text
    if status == "open":
        return f"[{text}](#{_decisions_of(rows[-1][0])})"
    if "smallest" not in rows[0][1].get(target, {}):
        return text
    return f"[**{text}**](#{_failures_of(target, rows[0][0])})"


def _numbers(rows: Sequence[Row]) -> str:
    return ", ".join(str(version.spec.since_version) for version, _ in rows)


def _failures_of(target: str, version: CheckedVersion) -> str:
    """The place where a runtime's failures of an operator stand."""
    spec = version.spec
    parts = filter(None, (domain_package(spec.domain), spec.operator))
    return anchor("conformance", target_page(target), *parts)


def _decisions_of(version: CheckedVersion) -> str:
    """The place of a version's decisions."""
    return anchor_of(version.spec, version.spec.since_version, "decisions")


def _failures(target: str, rows: Sequence[Row], anchors: Anchors) -> Iterator[dict[str, Any]]:
    """The smallest failing case of each version; versions that fail alike are one item."""

    def of(row: Row) -> tuple[str, ...]:
        version, entries = row
        smallest = entries[target]["smallest"]
        return (
            anchors(version, smallest["case"]),
            smallest["case"] + (f" ({smallest['type']})" if smallest["type"] else ""),
            smallest["text"],
        )

    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(of(row), []).append(row)
    for (case_anchor, case, text), found in groups.items():
        judged = [version for version, _ in found if version.spec.errata]
        counts = {_count(entries[target]) for _, entries in found}
        yield {
            "versions": _numbers(found),
            "case": inline(case),
            "anchor": case_anchor,
            "text": code(text),
            "least": min(counts),
            "most": max(counts),
            "decisions": _decisions_of(judged[-1]) if judged else None,
        }


def _count(entry: Mapping[str, Any]) -> int:
    return sum(entry.get(kind, 0) for kind in ("wrong", "crashed", "hung"))
