"""A run of the kit: planted faults are found, and a target that dies or hangs ends only itself."""

import json
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
