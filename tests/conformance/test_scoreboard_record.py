"""The scoreboard's record: which versions a renewal runs, and which entries it replaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import scoreboard
from click.testing import CliRunner
from scoreboard import entry_of, reports, sizes_of, stale, update

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


def test_a_part_of_a_version_replaces_no_entry_of_more_cases() -> None:
    cases = list(conformance.cases(["Relu"], versions=[13, 14]))
    old, new = ([case for case in cases if case.label == label] for label in ("Relu-13", "Relu-14"))
    sizes = sizes_of(cases)
    assert sizes == {("ai.onnx", "Relu-13"): len(old), ("ai.onnx", "Relu-14"): len(new)}

    def after(chosen: list[conformance.Case], record: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = update(record, "opmill", conformance.run("opmill", chosen), sizes)
        return found["versions"]["ai.onnx"]

    whole = after(cases, {"versions": {}})
    assert stale(cases, {"versions": {"ai.onnx": whole}}, "opmill") == []
    for count in (1, len(new) - 1):
        again = after(new[:count], {"versions": {"ai.onnx": dict(whole)}})
        assert again == whole
    part = after(new[:3], {"versions": {}})
    assert part == {"Relu-14": {"opmill": {"status": "right", "right": 3, "rejects": 0}}}
    assert after(new[:2], {"versions": {"ai.onnx": part}})["Relu-14"]["opmill"]["right"] == 3
    assert after(new[:5], {"versions": {"ai.onnx": part}})["Relu-14"]["opmill"]["right"] == 5
    # All cases replace an entry of more cases: some were removed since.
    part["Relu-14"]["opmill"] = {"status": "right", "right": 1000, "rejects": 0}
    assert after(new, {"versions": {"ai.onnx": part}})["Relu-14"] == whole["Relu-14"]


def test_a_case_that_hangs_on_a_busy_machine_runs_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HANGS_ONCE", str(tmp_path / "done"))
    cases = list(conformance.cases(["Relu"], versions=[13], rejects=False))[:2]
    (report,) = reports("faulty_backend:HangsOnce", cases, jobs=1, timeout=1.0)
    (version,) = report.versions.values()
    assert version.counts == {"right": 2}


def test_a_run_reports_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoreboard, "_INTERVAL", -1.0)
    cases = list(conformance.cases(["Relu"], versions=[13], rejects=False))[:3]
    counts = []
    for report in reports("opmill", cases, jobs=1, timeout=60.0):
        (version,) = report.versions.values()
        counts.append(version.counts["right"])
    assert counts == [1, 2, 3, 3]


def test_stale_versions_run_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A call with ``--stale`` and ``--minutes`` has whole versions, and no entry is lost."""
    monkeypatch.setattr(scoreboard, "RECORD", tmp_path / "record.json")
    cases = list(conformance.cases(["Relu"]))
    sizes = sizes_of(cases)
    whole = update({"versions": {}}, "opmill", conformance.run("opmill", cases), sizes)
    entries = whole["versions"]["ai.onnx"]
    for entry in entries.values():
        entry["opmill"]["right"] -= 1
    scoreboard.write({"targets": {}, "how": {}, "cases": {}, **whole})
    first = cases[0].label
    count = sizes["ai.onnx", first] + 2
    monkeypatch.setattr(scoreboard, "until", lambda chosen, minutes: list(chosen)[:count])
    arguments = ["--operator", "Relu", "--target", "opmill", "--stale", "--minutes", "1"]
    done = CliRunner().invoke(scoreboard.main, arguments)
    assert done.exit_code == 0, done.output
    entries[first]["opmill"]["right"] += 1
    assert scoreboard.read()["versions"]["ai.onnx"] == entries
