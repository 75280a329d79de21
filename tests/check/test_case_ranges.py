"""Versions that a case or an erratum applies to, and faults of ranges."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.base.shared_messages import MESSAGE_BYTES
from opmill_gen.check.check import check
from opmill_gen.load.load import Loaded, load
from opmill_gen.spec.operator_version import OperatorVersion
from opmill_gen.yaml_reader.decode import Faults
from small_project import (
    CASES,
    ERRATA,
    FILES,
    INDEX,
    NUMBERS,
    Project,
    faults_of,
    path_of,
    three_versions,
)

ERRATUM = "  - {{{} kind: silent, text: Unclear., decision: Decide., evidence: E.}}\n"


def stage(loaded: Loaded, faults: Faults) -> None:
    check(loaded, faults)


def versions_of(project: Project) -> dict[int, OperatorVersion]:
    faults = Faults()
    loaded = load(project.sources, faults)
    check(loaded, faults)
    assert not faults
    return {spec.since_version: spec for _, spec in loaded.versions}


RANGES = {
    "": (1, 2, 10),
    "since: 1, ": (1, 2, 10),
    "since: 2, ": (2, 10),
    "since: 10, ": (10,),
    "before: 2, ": (1,),
    "before: 10, ": (1, 2),
    "since: 2, before: 10, ": (2,),
}


@pytest.mark.parametrize("given", RANGES)
def test_the_versions_of_a_range(tmp_path: Path, given: str):
    project = three_versions(tmp_path)
    keys = given.replace(", ", "\n    ")
    project.edit("  - name: doubled", f"  - {keys}name: doubled")
    project.edit("  - name: a matrix", f"  - {keys}name: a matrix")
    project.put(ERRATA, "errata:\n" + ERRATUM.format(given))
    specs = versions_of(project)
    for number in NUMBERS:
        applies = number in RANGES[given]
        assert len(specs[number].examples) == 1 + applies
        assert [e.name for e in specs[number].examples] == ["plain", "doubled"][: 1 + applies]
        assert len(specs[number].rejects) == len(specs[number].errata) == applies


def test_a_version_that_is_new_has_all_that_has_not_ended(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit("  - name: doubled", "  - before: 10\n    name: doubled")
    project.edit("[1, 2, 10]", "[1, 2, 5, 10, 11]", INDEX)
    project.edit("opset: 10", "opset: 11", INDEX)
    for number in (5, 11):
        text = project.text(path_of(2)).replace("since_version: 2", f"since_version: {number}")
        project.put(path_of(number), text)
    specs = versions_of(project)
    assert [e.name for e in specs[5].examples] == ["plain", "doubled"]
    assert [e.name for e in specs[11].examples] == ["plain"]


FAULTS = {
    "since of no version": (
        "  - since: §3\n    name: doubled",
        "there is no version 3 beside this file, expected 1, 2 or 10",
    ),
    "before of no version": (
        "  - before: §11\n    name: doubled",
        "there is no version 11 beside this file, expected 1, 2 or 10",
    ),
    "before the first": (
        "  - before: §1\n    name: doubled",
        "before is 1, so that this applies to no version; it begins with 1, expected 2 or 10",
    ),
    "before equal to since": (
        "  - since: 2\n    before: §2\n    name: doubled",
        "before is 2, so that this applies to no version; it begins with 2, expected 10",
    ),
    "before lower than since": (
        "  - since: 10\n    before: §2\n    name: doubled",
        "before is 2, so that this applies to no version; it begins with 10, leave it out",
    ),
    "since as text": (
        "  - since: §latest\n    name: doubled",
        "expected a whole number, got text 'latest'",
    ),
    "until, as others call it": (
        "  - §until: 2\n    name: doubled",
        "unknown key 'until'; expected since, before, name, rests_on, inputs, outputs, attributes, "
        "description, onnx_test or each_type",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_range_that_cannot_be(tmp_path: Path, name: str):
    new, message = FAULTS[name]
    project = three_versions(tmp_path)
    project.edit("  - name: doubled", new)
    assert faults_of(project, stage) == project.expected([message])


CASE = """\
  - name: more
    {}inputs: {{X: {{type: int32, value: [{}]}}}}
    outputs: {{Y: {{type: int32, value: [{}]}}}}
"""


def with_cases(project: Project, *cases: tuple[str, int]) -> None:
    text = "".join(CASE.format(given.replace(", ", "\n    "), n, n) for given, n in cases)
    project.edit("rejects:\n", f"{text}rejects:\n")


def test_a_name_may_come_again_for_other_versions(tmp_path: Path):
    project = three_versions(tmp_path)
    with_cases(project, ("before: 2, ", 1), ("since: 2, before: 10, ", 2), ("since: 10, ", 3))
    specs = versions_of(project)
    assert {n: len(spec.examples) for n, spec in specs.items()} == {1: 3, 2: 3, 10: 3}
    values = [specs[n].examples[2].outputs["Y"].tensors for n in NUMBERS]
    assert len(set(values)) == 3


def test_a_name_that_two_cases_of_a_version_have(tmp_path: Path):
    project = three_versions(tmp_path)
    with_cases(project, ("before: 10, ", 1), ("since: 2, ", 2))
    assert faults_of(project, stage) == [f"{CASES}:13:11: Blend-2: there is a case 'more' already"]


def test_equal_cases_whose_ranges_touch_are_one(tmp_path: Path):
    project = three_versions(tmp_path)
    with_cases(project, ("before: 2, ", 1), ("since: 2, ", 1))
    assert faults_of(project, stage) == [
        f"{CASES}:13:5: is the same as on line 9; give one of the two the versions of both, and "
        "remove the other"
    ]


def test_equal_cases_whose_ranges_do_not_touch(tmp_path: Path):
    project = three_versions(tmp_path)
    with_cases(project, ("before: 2, ", 1), ("since: 10, ", 1))
    assert faults_of(project, stage) == []


def test_a_fault_in_some_versions_names_them(tmp_path: Path):
    project = three_versions(tmp_path)
    for number in (1, 10):
        project.edit("[tensor(float), tensor(int32)]", "[tensor(float)]", path_of(number))
    project.edit("  - name: a matrix", "  - since: 2\n    name: a matrix")
    assert faults_of(project, stage) == [
        f"{CASES}:3:17: Blend-1, Blend-10: 'X' does not allow tensor(int32)",
        f"{CASES}:4:18: Blend-1, Blend-10: 'Y' does not allow tensor(int32)",
    ]


def test_a_fault_in_all_versions_is_reported_once(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit("attributes: {gain: 2}", "attributes: §{gian: 2}")
    assert faults_of(project, stage) == project.expected(
        ["there is no attribute 'gian'; did you mean 'gain'?"]
    )


def test_a_change_is_shown_by_a_case_of_the_version(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit("  - name: plain", "  - before: 10\n    name: plain")
    project.edit("shown_by: plain", "shown_by: §plain", path_of(10))
    assert faults_of(project, stage) == project.expected(
        ["there is no example or reject 'plain'; expected a matrix or doubled"]
    )


def test_every_version_has_an_example(tmp_path: Path):
    project = three_versions(tmp_path)
    for name in ("plain", "doubled"):
        project.edit(f"  - name: {name}", f"  - before: 10\n    name: {name}")
    project.edit("shown_by: plain", "shown_by: a matrix", path_of(10))
    assert faults_of(project, stage) == [
        f"{CASES}: there is no example of Blend-10; every version has one at least"
    ]


def test_faults_of_all_files_are_reported_at_once(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit("raises: ShapeError", "raises: §ShapError")
    project.put(ERRATA, "errata:\n  - {kind: silent, text: T., decision: D.}\n")
    project.edit("function: false", "function: no", path_of(2))
    assert faults_of(project, stage) == [
        f"{path_of(2)}:5:11: expected true or false, got text 'no'",
        *project.expected(["'ShapError' is unknown here; did you mean 'ShapeError'?"]),
        f"{ERRATA}:2:5: key 'evidence' is missing; it gives how we know",
    ]


def test_cases_of_no_version(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/com.example/Other/cases.yaml", FILES[CASES])
    project.put("specs/com.example/errata.yaml", "errata: []\n")
    words = "there is no version beside this file; write one as specs/<domain>/<Operator>/"
    assert faults_of(project, stage) == [
        f"specs/com.example/Other/cases.yaml: {words}<version>.yaml",
        f"specs/com.example/errata.yaml: {words}<version>.yaml",
    ]


def test_a_file_whose_name_is_misspelt(tmp_path: Path):
    project = Project(tmp_path)
    project.put("specs/com.example/Blend/case.yaml", FILES[CASES])
    assert faults_of(project, stage) == [
        "specs/com.example/Blend/case.yaml: no file has this name; did you mean 'cases.yaml'?"
    ]


def test_a_message_lists_the_types_of_each_version(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit('error: "X must be 1-D, got rank 2"', 'error: "X must be one of {T}, got int8"')
    project.edit("[tensor(float), tensor(int32)]", "[tensor(float), tensor(int64)]", path_of(10))
    project.edit("  - name: plain", "  - before: 10\n    name: plain")
    project.edit("shown_by: plain", "shown_by: doubled", path_of(10))
    errors = {n: spec.rejects[0].error for n, spec in versions_of(project).items()}
    assert errors == {
        1: "X must be one of float, int32, got int8",
        2: "X must be one of float, int32, got int8",
        10: "X must be one of float, int64, got int8",
    }


def test_a_message_that_lists_the_types_of_nothing(tmp_path: Path):
    project = three_versions(tmp_path)
    project.edit('error: "X must be 1-D, got rank 2"', 'error: §"X must be one of {T1}"')
    assert faults_of(project, stage) == project.expected(
        ["there is no type variable 'T1' whose types could be listed; did you mean 'T'?"]
    )


def test_a_message_is_cut_as_a_call_cuts_it(tmp_path: Path):
    project = Project(tmp_path)
    project.edit('error: "X must be 1-D, got rank 2"', f'error: "{{T}} {"é" * 150}"')
    (spec,) = versions_of(project).values()
    whole = f"Blend-1: {spec.rejects[0].error}".encode()
    assert len(whole) in (MESSAGE_BYTES - 1, MESSAGE_BYTES)


def test_the_length_of_messages_is_that_of_the_runtimes():
    runtime = Path(__file__).parents[2] / "runtime"
    python = (runtime / "python/_runtime/errors.py").read_text()
    header = (runtime / "c/include/opmill/types.h").read_text()
    assert f"MESSAGE_BYTES = {MESSAGE_BYTES}\n" in python
    assert f"#define OPMILL_MESSAGE_SIZE {MESSAGE_BYTES + 1}\n" in header
