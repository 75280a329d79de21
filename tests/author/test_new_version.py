"""``opmill new`` copies a spec but for its number and changes, and ``generate`` asks for these."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opmill_gen.cli.main import main
from opmill_gen.load.load import load
from opmill_gen.yaml_reader.decode import Faults
from small_project import CASES, INDEX, SPEC, Project

GAP = "changes: TODO a list of what differs from Blend-1 in meaning, each with what shows it"


def run(project: Project, *words: str) -> Result:
    specs = str(project.root / "specs")
    return CliRunner().invoke(main, ["new", *words, "--domain", "com.example", "--specs", specs])


def begun(project: Project) -> list[str]:
    """Return the differences of the copy: ``- `` lines of the old one, ``+ `` those of the new."""
    old = project.text(SPEC).splitlines()
    new = project.text("specs/com.example/Blend/4.yaml").splitlines()
    return [line for line in difflib.ndiff(old, new) if line[0] in "+-"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_copy_differs_in_the_number_and_asks_for_the_changes(project: Project):
    result = run(project, "Blend", "4", "--from", "1")
    assert result.exit_code == 0, result.output
    assert begun(project) == [
        "- since_version: 1",
        "+ since_version: 4",
        f"+ {GAP}",
        "+ ",
    ]


@pytest.mark.parametrize("after", ["", "python_name: mix\n", "# the end\npython_name: mix\n"])
def test_changes_that_are_there_make_way(project: Project, after: str):
    changes = (
        "changes:\n  - what: one\n\n    shown_by: plain\n"
        "# a note\n  - {what: two, shown_by: plain}\n"
    )
    source = "source: {onnx: 1.23.2}\n"
    project.edit(source, changes + after + (source if after else ""))
    assert run(project, "Blend", "4", "--from", "1").exit_code == 0
    text = project.text("specs/com.example/Blend/4.yaml")
    assert "shown_by" not in text
    assert text.count("changes:") == 1
    assert "python_name: mix" in text or not after
    assert text.endswith(source if after else f"{GAP}\n")


def test_the_cases_that_have_not_ended_apply_without_a_word(project: Project):
    project.edit("  - name: doubled", "  - before: 4\n    name: doubled")
    before = project.text(CASES)
    result = run(project, "Blend", "4", "--from", "1")
    assert result.exit_code == 0, result.output
    assert project.text(CASES) == before
    path = "specs/com.example/Blend/4.yaml"
    project.edit(GAP, "changes: [{what: Less., shown_by: plain}]", path)
    faults = Faults()
    specs = {spec.since_version: spec for _, spec in load(project.sources, faults).versions}
    assert not faults
    assert [e.name for e in specs[1].examples] == ["plain", "doubled"]
    assert [e.name for e in specs[4].examples] == ["plain"]


def test_without_a_source_the_gap_stands_last(project: Project):
    project.edit("source: {onnx: 1.23.2}\n", "")
    assert run(project, "Blend", "4", "--from", "1").exit_code == 0
    assert project.text("specs/com.example/Blend/4.yaml").endswith(f"\n\n{GAP}\n")


def test_the_index_lists_the_new_version(project: Project):
    result = run(project, "Blend", "4", "--from", "1")
    assert result.stdout.splitlines()[:2] == ["specs/com.example/Blend/4.yaml", INDEX]
    assert project.text(INDEX) == (
        "domain: com.example\nopset: 4\noperators:\n"
        "  Blend: {versions: [1, 2, 3, 4], deprecated: [3]}\n"
    )


def test_an_index_is_made_where_there_is_none(project: Project):
    (project.root / INDEX).unlink()
    assert run(project, "Blend", "4", "--from", "1").exit_code == 0
    lines = project.text(INDEX).splitlines()
    assert [line for line in lines if line and line[0] != "#"] == [
        "domain: com.example",
        "opset: 4",
        "operators:",
        "  Blend: {versions: [1, 4]}",
    ]


def test_it_says_what_is_to_be_decided(project: Project):
    lines = run(project, "Blend", "4", "--from", "1").stdout.splitlines()
    listed = lines[lines.index("To decide:") + 1 :]
    assert "  changes: what differs from Blend-1 in meaning; empty so far" in listed
    assert "  inputs: X (T, single), bias (T, optional)" in listed
    assert "  attributes: gain (INT), mode (STRING)" in listed
    assert "  accuracy: float" in listed
    assert (
        "  cases.yaml: 2 examples, 1 rejects of Blend-1; end those that no longer hold with "
        "before, and add one for each change with since"
    ) in listed
    assert "  errata.yaml: 0 of Blend-1, which may be settled now" in listed
    assert "  index.yaml: lists Blend-4 now" in listed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Blend", "4", "--from", "2"], "there is no spec of Blend-2; there are 1"),
        (["Blnd", "4", "--from", "1"], "there is no operator 'Blnd' in com.example; did you mean"),
        (["../x", "4", "--from", "1"], "there is no operator '../x' in com.example"),
        (["Blend", "1", "--from", "1"], "1 cannot follow 1: versions ascend, up to 1000"),
        (["Blend", "1001", "--from", "1"], "1001 cannot follow 1"),
        (["Blend", "4", "--from", "1", "--domain", "com.exmple"], "there is no domain"),
        (["Blend", "4", "--from", "1", "--domain", ".."], "there is no domain '..'"),
    ],
)
def test_what_cannot_be_is_refused(project: Project, words: list[str], message: str):
    specs = str(project.root / "specs")
    result = CliRunner().invoke(main, ["new", "--domain", "com.example", *words, "--specs", specs])
    assert result.exit_code == 2
    assert message in result.stderr
    names = sorted(path.name for path in (project.root / SPEC).parent.iterdir())
    assert names == ["1.yaml", "cases.yaml"]


def test_a_spec_is_not_written_over(project: Project):
    assert run(project, "Blend", "4", "--from", "1").exit_code == 0
    again = run(project, "Blend", "4", "--from", "1")
    assert again.exit_code == 2
    assert "Blend/4.yaml: is there already; --force" in again.stderr
    assert run(project, "Blend", "4", "--from", "1", "--force").exit_code == 0


def test_a_spec_with_faults_is_not_copied(project: Project):
    project.edit("since_version: 1", "since_version: one")
    result = run(project, "Blend", "4", "--from", "1")
    assert result.exit_code == 2
    assert f"{SPEC}:3:16: expected a whole number" in result.stderr
