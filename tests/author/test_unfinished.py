"""``list``, ``show`` and ``diff`` where some specs have gaps or faults: they answer for the rest,
say what is left out, and show an unfinished version as far as it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opmill_gen.cli import main as cli
from opmill_gen.cli import options as cli_shared
from small_project import CASES, FAMILY, INDEX, SPEC, Project

SECOND = "specs/com.example/Blend/2.yaml"
OTHER = "specs/com.example/Draft/1.yaml"
SUMMARY = "summary: Multiplies X with the gain and adds the bias."
CHANGES = "changes: [{what: It is louder., shown_by: plain}]\nsource:"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Blend-1 is whole, Draft-1 has two gaps."""
    project = Project(tmp_path)
    project.edit("  Blend:", "  Draft: {versions: [1]}\n  Blend:", INDEX)
    draft = project.text(SPEC).replace("operator: Blend", "operator: Draft")
    draft = draft.replace(SUMMARY, "summary: TODO what it does").replace("{float: {rtol", "TODO #")
    project.put(OTHER, draft)
    monkeypatch.setattr(cli_shared, "default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("COLUMNS", "200")
    return project


def call(*arguments: str) -> Result:
    result = CliRunner().invoke(cli.main, arguments, prog_name="opmill")
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def with_second(project: Project, old: str, new: str) -> None:
    """Add Blend-2, which is Blend-1 with one piece of text replaced."""
    text = project.text(SPEC).replace("since_version: 1", "since_version: 2")
    text = text.replace("source:", CHANGES)
    project.put(SECOND, text)
    project.edit(old, new, SECOND)


def left_out(*named: str) -> str:
    return f"not finished, so left out: {', '.join(named)}; 'opmill generate' names each gap\n"


def test_list_answers_for_what_is_whole(project: Project):
    result = call("list")
    assert result.exit_code == 0
    assert result.stderr == left_out(f"{OTHER} (gaps: 2)")
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "operator",
        "Blend",
        "com.example:",
    ]
    assert "com.example: 1 of 4 versions supported" in result.stdout


def test_list_names_few_of_many(project: Project):
    for number in range(2, 6):
        text = project.text(OTHER).replace("since_version: 1", f"since_version: {number}")
        project.put(f"specs/com.example/Draft/{number}.yaml", text)
    project.edit("opset: 3", "opset: 9", INDEX)
    project.edit("Draft: {versions: [1]}", "Draft: {versions: [1, 2, 3, 4, 5]}", INDEX)
    named = [f"specs/com.example/Draft/{number}.yaml (gaps: 2)" for number in (1, 2, 3)]
    assert call("list").stderr == left_out(*named).replace(";", " and 2 more;")


def test_show_and_diff_of_what_is_whole_say_nothing_of_other_operators(project: Project):
    shown = call("show", "Blend")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.startswith("Blend-1 of com.example\n")
    same = call("diff", "Blend", "1", "1")
    assert (same.exit_code, same.stderr) == (0, "")


def test_show_of_the_unfinished_tells_what_there_is_and_what_is_missing(project: Project):
    result = call("show", "Draft", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Draft-1 of com.example; not finished\n")
    assert "\nTODO what it does\n" in result.stdout
    assert "  bias: T, optional\n" in result.stdout
    lines = dict(enumerate(project.text(OTHER).splitlines(), 1))
    listed = re.findall(r"  - line (\d+): (.*)", result.stdout.partition("Still to be written")[2])
    assert [(lines[int(n)].partition(":")[0], text) for n, text in listed] == [
        ("summary", "what it does"),
        ("accuracy", "exact, or a tolerance for each element type"),
    ]


def test_show_without_a_number_takes_the_newest_that_is_whole(project: Project):
    with_second(project, SUMMARY, "summary: TODO")
    result = call("show", "Blend")
    assert result.stdout.startswith("Blend-1 of com.example\n")
    assert result.stderr == left_out(f"{SECOND} (gaps: 1)")
    assert call("show", "Blend", "1").stderr == ""
    assert call("show", "Draft").stdout.startswith("Draft-1 of com.example; not finished\n")


def test_what_cannot_be_shown_is_answered_with_its_gaps(project: Project):
    project.edit("determinism: deterministic", "determinism: TODO look it up", OTHER)
    for arguments in (["show", "Draft", "1"], ["show", "Draft"], ["diff", "Draft", "1", "1"]):
        result = call(*arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{OTHER}:8:14: still to be written: look it up\n" in result.stderr
    assert call("list").stderr == left_out(f"{OTHER} (gaps: 3)")


def test_diff_compares_as_far_as_is_written(project: Project):
    with_second(project, SUMMARY, "summary: TODO in what it differs")
    result = call("diff", "Blend", "1", "2")
    assert result.exit_code == 0
    assert result.stderr == (
        f"not finished, so shown as far as written: {SECOND} (gaps: 1); "
        "'opmill generate' names each gap\n"
    )
    assert "2: It is louder. (shown by: plain)" in result.stdout
    assert "TODO in what it differs" in result.stdout


BROKEN = {
    "a fault of form": ("kind: INT,", "kind: INTS2,", "'INTS2' is unknown here; did you mean"),
    "a fault of the signature": ("default: 1,", "default: one,", "must be a whole number"),
    "no YAML": ("inputs:", "inputs: [", "not valid YAML"),
    "another operator": ("operator: Draft", "operator: Drift", "this file describes Drift-1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_spec_blocks_no_other(project: Project, name: str):
    old, new, message = BROKEN[name]
    before = [call("show", "Blend").stdout, call("diff", "Blend", "1", "1").stdout]
    project.edit(old, new, OTHER)
    for command, text in zip((["show", "Blend"], ["diff", "Blend", "1", "1"]), before, strict=True):
        result = call(*command)
        assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")
    listed = call("list")
    assert (listed.exit_code, listed.stdout.splitlines()[1].split()[0]) == (0, "Blend")
    assert listed.stderr == (
        f"faulty, so left out: {OTHER} (faults: 1); 'opmill generate' names each fault\n"
    )
    for command in (["show", "Draft"], ["diff", "Draft", "1", "1"], ["verify"]):
        result = call(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{OTHER}:" in result.stderr
        assert message in result.stderr
    (fault,) = json.loads(call("list", "--json").stdout)["faults"]
    assert fault["file"] == OTHER


def test_a_broken_version_blocks_no_other_of_its_operator(project: Project):
    with_second(project, "kind: INT,", "kind: INTS2,")
    project.put("specs/com.example/Blend/3.yml", "")
    result = call("show", "Blend")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "Blend-1 of com.example")
    assert result.stderr == (
        f"faulty, so left out: {SECOND} (faults: 1), specs/com.example/Blend/3.yml (faults: 1); "
        "'opmill generate' names each fault\n"
    )
    assert call("show", "Blend", "1").exit_code == 0
    assert "specs end in .yaml; rename it" in call("show", "Blend", "3").stderr
    assert "did you mean 'INTS'?" in call("diff", "Blend", "1", "2").stderr


def test_list_reads_of_cases_only_those_with_gaps(project: Project):
    project.edit("name: plain", "name: [", CASES)
    assert call("list").stdout.splitlines()[1].startswith("Blend ")
    assert "not valid YAML" in call("show", "Blend").stderr
    project.edit("name: [", "name: TODO", CASES)
    assert f"{SPEC} (gaps: 1)" in call("list").stderr


def test_a_gap_in_an_index_ends_what_reads_it(project: Project):
    project.edit("opset: 3", "opset: TODO", INDEX)
    for command in (["list"], ["verify"], ["show", "Blond"]):
        result = call(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"{INDEX}:2:8: still to be written" in result.stderr
    assert call("show", "Blend").exit_code == 0


def test_a_gap_in_a_family_ends_what_states_its_parameters(project: Project):
    project.edit("Blends. For", "TODO For", FAMILY)
    result = call("show", "Blend", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["faults"][0]["file"] == FAMILY
    assert call("show", "Blend").exit_code == 0


def test_json_tells_the_same(project: Project):
    listed = json.loads(call("list", "--json").stdout)
    assert listed["unfinished"] == [OTHER]
    assert [operator["operator"] for operator in listed["operators"]] == ["Blend"]
    whole = json.loads(call("show", "Blend", "--json").stdout)
    assert whole["gaps"] == []
    assert whole["family"]["with"] == {"step": 2, "shade": "dark", "loud": False}
    draft = json.loads(call("show", "Draft", "--json").stdout)
    assert (draft["ok"], draft["file"]) == (True, OTHER)
    assert draft["family"] == {"name": "blend", "with": {"step": 2}}
    first = draft["gaps"][0]
    assert first["message"] == "still to be written: what it does"
    assert all(gap["file"] == OTHER and gap["line"] for gap in draft["gaps"])


def test_an_operator_that_two_domains_have_is_asked_for_with_its_domain(project: Project):
    project.put(
        "specs/com.other/Blend/1.yaml",
        project.text(SPEC).replace("domain: com.example", "domain: com.other"),
    )
    project.put("specs/com.other/Blend/cases.yaml", project.text(CASES))
    for command in (["show", "Blend"], ["diff", "Blend", "1", "1"]):
        result = call(*command)
        assert result.exit_code == 2
        assert (
            "Blend is in com.example, com.other; say which is meant, as --domain com.example"
        ) in result.stderr
        assert call(*command, "--domain", "com.other").exit_code == 0
    shown = call("show", "Blend", "--domain", "com.other")
    assert shown.stdout.startswith("Blend-1 of com.other\n")
    missing = call("show", "Blend", "--domain", "com.otter")
    assert "there is no operator 'Blend' in com.otter" in missing.stderr
