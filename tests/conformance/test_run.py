"""A run of the kit: planted faults are found, and a target that dies or hangs ends only itself."""

import json
import time
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

import opmill
from opmill import conformance
from opmill.conformance import Outcome

CHOSEN = ["Transpose"]


def run_on(fault, operators, **options):
    chosen = conformance.cases(operators, opset=13, rejects=False)
    return conformance.run(f"faulty_backend:{fault}", chosen, **options)


def test_opmill_passes():
    report = conformance.run("opmill", conformance.cases(["Tile", "Relu"], opset=13))
    assert report.target_version == opmill.__version__
    assert [version.status for version in report.versions.values()] == ["right", "right"]
    assert report.failures == []
    for version in report.versions.values():
        assert set(version.rejects) <= {"refused"}


@pytest.mark.parametrize(
    ("fault", "operators", "outcome"),
    [
        ("AxisOrder", ["Transpose"], Outcome.WRONG),
        ("Float16RoundsDown", ["Add"], Outcome.WRONG),
        ("NoScalars", ["Relu"], Outcome.WRONG),
        ("Ends", ["Relu"], Outcome.CRASHED),
        ("Hangs", ["Relu"], Outcome.HUNG),
    ],
)
def test_a_planted_fault_is_found_and_nothing_else(fault, operators, outcome):
    report = run_on(fault, operators, timeout=2.0, jobs=2)
    (version,) = report.versions.values()
    assert version.status == outcome
    assert {one.outcome for one in report.failures} == {outcome}
    assert version.counts["right"] > 0
    sizes = [one.case.elements for one in version.failures]
    assert sizes == sorted(sizes)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system has no /proc")
def test_what_a_runtime_has_started_ends_with_it(monkeypatch, tmp_path):
    path = tmp_path / "child"
    monkeypatch.setenv("CHILD", str(path))
    chosen = list(conformance.cases(["Relu"], opset=13, rejects=False))[:1]
    report = conformance.run("faulty_backend:HangsWithChild", chosen, timeout=2.0)
    assert [one.outcome for one in report.failures] == [Outcome.HUNG]
    child, end = int(path.read_text("utf-8")), time.monotonic() + 10
    while _runs(child) and time.monotonic() < end:
        time.sleep(0.01)
    assert not _runs(child)


def _runs(process):
    """Return whether a process runs; one that has ended, and that nobody waits for, does not."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    return False


def test_an_interrupted_run_waits_for_no_case():
    chosen = list(conformance.cases(["Relu"], opset=13, rejects=False))
    chosen.sort(key=lambda case: any(array.size == 0 for array in case.input_arrays()))
    found = conformance.results("faulty_backend:Hangs", chosen, timeout=600.0)
    assert next(found).outcome == Outcome.RIGHT
    start = time.monotonic()
    found.close()
    assert time.monotonic() - start < 60


def test_another_result_where_onnx_leaves_it_open_is_open_and_not_wrong():
    report = run_on("OpenOrder", ["TopK"])
    (version,) = report.versions.values()
    assert (version.status, version.counts["wrong"], report.failures) == ("open", 0, [])
    assert {one.case.example for one in report.open} == {"open order"}
    for one in report.open:
        assert [erratum.name for erratum in one.case.rests_on] == ["order"]
        assert one.case.rests_on[0].kind == "silent"
    number = version.counts["open"]
    assert 0 < number < version.counts["right"]
    (data,) = report.data()["versions"]["ai.onnx"].values()
    assert data["failing"] == []
    assert data["examples"]["open"] == number
    first = report.open[0]
    assert data["open"][0] == {"case": first.case.name, "text": first.text, "rests_on": ["order"]}
    lines = report.table().splitlines()
    assert lines[0].split()[:4] == ["version", "right", "open", "wrong"]
    assert lines[1].split()[:4] == ["TopK-11", str(version.counts["right"]), str(number), "0"]
    assert lines[-1].startswith("open: TopK-11: open order")
    assert "open in ONNX: With sorted of 0 the order of the outputs is undefined." in lines[-1]
    (suite,) = ElementTree.fromstring(report.junit())
    assert suite.get("failures") == "0"
    assert int(suite.get("skipped")) == number + version.counts["refused"]


def test_what_is_open_is_wrong_where_the_decisions_are_asked_for():
    report = run_on("OpenOrder", ["TopK"], strict=True)
    (version,) = report.versions.values()
    assert (version.status, version.counts["open"], report.open) == ("wrong", 0, [])
    assert {one.case.example for one in report.failures} == {"open order"}


def test_an_example_of_another_version_rests_on_no_erratum_of_this_one():
    cases = conformance.cases(["ArgMax"], versions=[1, 13], rejects=False)
    found = {case.label: case.rests_on for case in cases if case.example == "equal elements"}
    assert [one.name for one in found["ArgMax-1"]] == ["equal elements"]
    assert found["ArgMax-13"] == ()


def test_an_invalid_call_that_onnx_leaves_open_may_be_computed():
    rejects = [one for one in conformance.cases(["TopK"], versions=[11]) if one.is_reject]
    by_decision = {one.example for one in rejects if one.rests_on}
    assert by_decision == {"another largest", "another sorted", "scalar"}
    report = conformance.run("faulty_backend:AnyCall", rejects)
    (version,) = report.versions.values()
    assert {one.case.example for one in version.open} == by_decision
    assert version.rejects == {"open": 3, "computed": len(rejects) - 3}
    strict = conformance.run("faulty_backend:AnyCall", rejects, strict=True)
    (version,) = strict.versions.values()
    assert version.rejects == {"computed": len(rejects)}


def test_the_table_counts_what_it_does_not_show():
    report = run_on("AxisOrder", ["Transpose"])
    shown = [line for line in report.table().splitlines() if line.startswith("wrong: ")]
    assert len(shown) == len(report.versions) == 1
    for version, line in zip(report.versions.values(), shown, strict=True):
        assert line.startswith(f"wrong: {version.failures[0].case.name}: ")
        number = len(version.failures) - 1
        assert number > 1
        assert line.endswith(f" [{number} more failures of {version.label}]")


def test_the_fault_of_scalars_is_shown_by_the_smallest_case():
    report = run_on("NoScalars", ["Relu"])
    assert report.failures[0].text == "Y: expected shape [], got [1]"
    assert report.failures[0].case.elements == 2


def test_results_come_in_the_order_of_the_cases():
    chosen = list(conformance.cases(CHOSEN, opset=13))
    found = [one.case.name for one in conformance.results("opmill", chosen, jobs=2)]
    assert found == [case.name for case in chosen]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nothing", "nothing is no target, expected one of opmill, onnxruntime"),
        ("nothing:Backend", "nothing:Backend cannot be imported: No module named 'nothing'"),
        ("json:Backend", "json:Backend cannot be imported: module 'json' has no attribute"),
        ("json:dumps", "json:dumps has no prepare, expected a class with the interface"),
    ],
)
def test_a_target_that_is_none_is_an_error(target, words):
    with pytest.raises(conformance.TargetError, match=words):
        conformance.run(target, conformance.cases(CHOSEN))


def test_only_what_is_not_in_the_baseline_is_worse():
    before, after = run_on("NoScalars", ["Relu"]), run_on("Ends", ["Relu"])
    baseline = json.loads(before.json())
    assert before.worse_than(baseline) == []
    assert after.worse_than(baseline) == after.failures
    with pytest.raises(opmill.Error, match="the baseline is not a report"):
        before.worse_than({"versions": [1]})


def test_junit_counts_what_the_report_counts():
    report = run_on("NoScalars", ["Relu"])
    (suite,) = ElementTree.fromstring(report.junit())
    (version,) = report.versions.values()
    assert int(suite.get("failures")) == version.counts["wrong"]
    assert int(suite.get("skipped")) == version.counts["refused"]
    assert len(suite) == sum(version.counts.values())


def test_a_type_that_is_never_computed_is_outside_of_the_types():
    report = conformance.run("onnxruntime", conformance.cases(["Add"], versions=[14]))
    (version,) = report.versions.values()
    assert (version.status, version.counts["refused"]) == ("partial", 2)
    assert version.outside_types == 2  # int16 and uint16


def test_arrays_of_strings_pass_between_processes_whatever_their_rank():
    chosen = list(conformance.cases(["StringSplit"], opset=20))
    assert any(one.ndim > 32 for case in chosen for one in case.input_arrays())
    report = conformance.run("opmill", chosen)
    (version,) = report.versions.values()
    assert report.failures == []
    assert version.counts["right"] > 0
    assert version.rejects["refused"] > 0
