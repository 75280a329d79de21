"""The scoreboard's record: which versions a renewal runs."""

from __future__ import annotations

from typing import Any

from scoreboard import entry_of, stale

from opmill import conformance


def test_only_versions_with_another_number_of_cases_are_stale() -> None:
    cases = list(conformance.cases(["Relu"], versions=[13, 14]))
    report = conformance.run("opmill", cases)
    record: dict[str, Any] = {"versions": {"ai.onnx": {}}}
    for version in report.versions.values():
        record["versions"]["ai.onnx"][version.label] = {"opmill": entry_of(version)}
    assert {case.label for case in cases} == {"Relu-13", "Relu-14"}
    assert stale(cases, record, "opmill") == []
    record["versions"]["ai.onnx"]["Relu-14"]["opmill"]["right"] -= 1
    assert {case.label for case in stale(cases, record, "opmill")} == {"Relu-14"}
    assert stale(cases, record, "another runtime") == cases
