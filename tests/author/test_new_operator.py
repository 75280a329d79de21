"""``opmill new`` begins operators of one's own: from nothing, or as copies of others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opmill_gen.base.package_rename import mentions
from opmill_gen.check.check import check
from opmill_gen.cli import options as cli_shared
from opmill_gen.cli.main import main
from opmill_gen.load.load import load
from opmill_gen.yaml_reader.decode import OPEN, Faults
from small_project import CASES, INDEX, SPEC, Project, lines_of, with_real_templates

MADE = "specs/com.example/Scale/1.yaml"
ERRATA = "specs/com.example/Blend/errata.yaml"
MADE_CASES = "specs/com.example/Scale/cases.yaml"
RULES = '''\
"""The rules of what the form describes."""


def rules(X: Tensor, *, scale: int) -> None:
    require_attribute(scale > 0, f"scale is {scale}, expected at least 1")
    output(Y=X.shape)
    plan(scale=scale)
'''
KERNEL = '''\
"""Multiplies."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], Y: NDArray[Any], *, scale: int) -> None:
    """Y = X * scale."""
    np.multiply(X, X.dtype.type(scale), out=Y)
'''


def run(project: Project, *words: str) -> Result:
    specs = str(project.root / "specs")
    result = CliRunner().invoke(main, ["new", *words, "--specs", specs])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def gaps_of(project: Project, path: str) -> list[str]:
    """The keys of a file's gaps; nothing of the tree has a fault."""
    faults = Faults()
    check(load(project.sources, faults), faults)
    assert lines_of(faults) == []
    lines = project.text(path).splitlines()
    return [
        lines[gap.location.line - 1].partition(":")[0]
        for gap in sorted(faults.gaps)
        if gap.location.path == path
    ]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_from_nothing_there_is_a_gap_for_all_that_only_the_author_can_say(project: Project):
    result = run(project, "Scale", "1", "--domain", "com.example")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[:4] == [MADE, MADE_CASES, INDEX, "To decide:"]
    assert "  index.yaml: lists Scale-1 now" in lines
    specs = project.root / "specs"
    command = f"opmill generate --specs {specs}"
    assert lines[-1] == f"gaps: 9; '{command}' names each, and writes nothing while there is one"
    made = CliRunner().invoke(main, [*command.split()[1:], "--output", str(project.root / "made")])
    assert (made.exit_code, made.stdout) == (2, "")
    assert made.stderr.count(OPEN) == 9
    assert not (project.root / "made").exists()
    assert not mentions(project.text(MADE))  # which a package of another name would refuse
    assert gaps_of(project, MADE) == [
        "summary", "inputs", "outputs", "attributes", "type_constraints", "family", "accuracy",
    ]  # fmt: skip
    assert gaps_of(project, MADE_CASES) == ["examples", "rejects"]
    assert project.text(INDEX) == (
        "domain: com.example\nopset: 3\noperators:\n"
        "  Blend: {versions: [1, 2, 3], deprecated: [3]}\n  Scale: {versions: [1]}\n"
    )


def test_the_form_below_the_gaps_is_a_spec_that_mills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = with_real_templates(tmp_path)
    monkeypatch.setattr(cli_shared, "default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    assert run(project, "Scale", "1", "--domain", "com.example").exit_code == 0
    text = project.text(MADE).replace("\n#", "\n")
    text = re.sub(r"(?m)^(summary): TODO .*$", r"\1: Multiplies.", text)
    text = re.sub(r"(?m)^(family): TODO .*$", r"\1: scale", text)
    text = re.sub(r"(?m)^(accuracy): TODO .*$", r"\1: exact", text)
    text = re.sub(r"(?m)^(\w+:) TODO .*$", r"\1", text)
    assert "TODO" not in text
    project.put(MADE, text)
    cases = project.text(MADE_CASES).replace("\n#", "\n")
    project.put(MADE_CASES, re.sub(r"(?m)^(\w+:) TODO .*$", r"\1", cases))
    project.put("families/scale/family.yaml", "summary: Multiplies. For tests.\n")
    project.put("families/scale/rules.py", RULES)
    project.put("families/scale/kernel.py", KERNEL)
    result = CliRunner().invoke(main, ["generate"])
    assert result.exit_code == 0, result.output


def test_a_domain_that_is_not_there_is_begun_with_its_index(tmp_path: Path):
    project = Project(tmp_path, {})
    result = run(project, "Scale", "2", "--domain", "com.new.place")
    assert result.exit_code == 0, result.output
    assert "  domain: com.new.place, a new domain\n" in result.stdout
    path = "specs/com.new.place/Scale/2.yaml"
    assert "domain: com.new.place\nsince_version: 2\n" in project.text(path)
    assert "changes:" not in project.text(path)
    index = project.text("specs/com.new.place/index.yaml")
    assert index.endswith("opset: 2\n\noperators:\n  Scale: {versions: [2]}\n")


def test_an_index_that_is_not_there_lists_what_is(project: Project):
    (project.root / INDEX).unlink()
    assert run(project, "Scale", "1", "--domain", "com.example").exit_code == 0
    assert "  Blend: {versions: [1]}\n  Scale: {versions: [1]}\n" in project.text(INDEX)


def test_a_further_version_from_nothing_asks_for_the_changes(project: Project):
    assert run(project, "Blend", "2", "--domain", "com.example").exit_code == 0
    path = "specs/com.example/Blend/2.yaml"
    assert "changes: TODO a list of what differs from Blend-1 in meaning" in project.text(path)
    assert gaps_of(project, path)[-1] == "changes"


@pytest.mark.parametrize("origin", ["Blend-1", "com.example/Blend-1"])
def test_a_copy_of_another_operator_leaves_out_what_is_said_of_that_one(
    project: Project, origin: str
):
    project.edit("operator: Blend", "operator: Blend\npython_name: blend_it")
    left_out = "    rests_on: [n]\n    onnx_test: test_blend_doubled\n"
    project.edit("  - name: doubled\n", f"  - name: doubled\n{left_out}")
    project.edit("source:", "changes:\n  - {what: one, shown_by: plain}\n\nsource:")
    project.put(ERRATA, "errata:\n  - {name: n, kind: silent, text: t, decision: d, evidence: e}\n")
    result = run(project, "Mix", "3", "--domain", "com.other", "--from", origin)
    assert result.exit_code == 0, result.output
    path = "specs/com.other/Mix/3.yaml"
    new = project.text(path)
    assert new.startswith("operator: Mix\ndomain: com.other\nsince_version: 3\nsupport_level:")
    for word in ("Blend it", "python_name", "onnx_test", "rests_on", "changes", "errata", "source"):
        assert not re.search(rf"(?m)^ *-? *{word}:", new)
    assert (
        "summary: TODO what it computes, in your own words; it begins as a copy of Blend-1" in new
    )
    kept = project.text(SPEC).partition("inputs:")[2].partition("changes:")[0]
    assert kept.rstrip() in new
    cases = project.text("specs/com.other/Mix/cases.yaml")
    assert cases == project.text(CASES).replace(left_out, "")
    assert not (project.root / "specs/com.other/Mix/errata.yaml").exists()
    assert gaps_of(project, path) == ["summary"]
    assert "summary: what it computes; the descriptions are those of Blend-1" in result.stdout


def test_a_copy_of_what_opmill_has_goes_into_specs_of_ones_own(tmp_path: Path):
    project = Project(tmp_path, {})
    result = run(project, "Repeat", "1", "--domain", "com.example", "--from", "Tile-13")
    assert result.exit_code == 0, result.output
    text = project.text("specs/com.example/Repeat/1.yaml")
    assert text.startswith("operator: Repeat\ndomain: com.example\nsince_version: 1\n")
    assert "family: {name: tile, rule: all_axes}\n" in text
    for left in ("Tile", "onnx_test", "source:", "errata:", "changes:", "yaml-language-server"):
        assert left not in text.replace("it begins as a copy of Tile-13", "")
    assert result.stdout.splitlines()[-1].startswith("gaps: 1; ")


@pytest.mark.parametrize("origin", ["Blend-1", "com.example/Blend-1", "1"])
def test_a_copy_of_the_same_operator_keeps_its_text_however_it_is_named(
    project: Project, origin: str
):
    assert run(project, "Blend", "4", "--domain", "com.example", "--from", origin).exit_code == 0
    new = project.text("specs/com.example/Blend/4.yaml")
    assert "summary: Multiplies X with the gain and adds the bias.\n" in new
    assert "changes: TODO a list of what differs from Blend-1 in meaning" in new


def test_a_version_in_several_domains_is_named_with_one(project: Project):
    for domain in ("com.a", "com.b"):
        text = project.text(SPEC).replace("domain: com.example", f"domain: {domain}")
        project.put(f"specs/{domain}/Mix/1.yaml", text.replace("operator: Blend", "operator: Mix"))
    words = ["Other", "1", "--domain", "com.example", "--from"]
    result = run(project, *words, "Mix-1")
    assert result.exit_code == 2
    assert "'Mix-1' is in several domains; write com.a/Mix-1 or com.b/Mix-1" in result.stderr
    assert run(project, *words, "com.b/Mix-1").exit_code == 0
    # The domain of the new operator comes before all others.
    assert run(project, "Third", "1", "--domain", "com.a", "--from", "Mix-1").exit_code == 0


EXAMPLE = ["--domain", "com.example"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Scale", "1"], "the operators of ai.onnx are ONNX's: 'opmill import Scale' writes"),
        (["Scale", "1", "--domain", "ai.onnx.ml"], "the operators of ai.onnx.ml are ONNX's"),
        (["Scale", "1", "--from", "Tile-13"], "the operators of ai.onnx are ONNX's"),
        (["Scale", "1", "--domain", "com/example"], "'com/example' is no domain; write it as"),
        (["Scale", "1", "--domain", ".."], "'..' is no domain"),
        (["Sc-ale", "1", *EXAMPLE], "'Sc-ale' cannot name an operator; use letters, digits"),
        (["../Scale", "1", *EXAMPLE], "'../Scale' cannot name an operator"),
        (["infer", "1", *EXAMPLE], "the operator 'infer' would be called 'infer' in Python"),
        (["Scale", "1", "--domain", "opset3"], "the domain 'opset3' would be called 'opset3'"),
        (["BLEND", "1", *EXAMPLE], "BLEND and Blend, which is there, would share the Python name"),
        (["Scale", "0", *EXAMPLE], "versions count from 1 to 1000 at most, got 0"),
        (["Scale", "1001", *EXAMPLE], "versions count from 1 to 1000 at most, got 1001"),
        (["Scale", "one", *EXAMPLE], "'one' is not a valid integer"),
        (["Scale", "2", *EXAMPLE, "--from", "1"], "there is no operator 'Scale' in com.example"),
        (["Scale", "2", *EXAMPLE, "--from", "1"], "leave --from out to begin from nothing"),
        (["Scale", "2", *EXAMPLE, "--from", "Tile"], "'Tile' names no version to begin with"),
        (["Scale", "2", *EXAMPLE, "--from", "../x-1"], "there is no spec of ../x-1"),
        (["Scale", "2", *EXAMPLE, "--from", "Blend-7"], "there are com.example/Blend-1"),
        (["Scale", "2", *EXAMPLE, "--from", "Blnd-1"], "did you mean 'Blend-1'?"),
        (["Blend", "1", *EXAMPLE], "Blend/1.yaml: is there already; --force writes it anew"),
        (["Blend", "1", *EXAMPLE, "--from", "Blend-1", "--force"], "1 cannot follow 1"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    project: Project, words: list[str], message: str
):
    before = {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}
    result = run(project, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    after = {path: path.read_bytes() for path in project.root.rglob("*") if path.is_file()}
    assert after == before


def test_an_installed_opmill_writes_here_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The specs that it carries are to begin from, never to write in."""
    carried = Project(tmp_path / "site" / "_data")
    monkeypatch.setattr(cli_shared, "default_sources", lambda: carried.sources)
    monkeypatch.chdir(tmp_path)
    words = ["new", "Mix", "1", "--domain", "com.other", "--from", "Blend-1"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "specs/com.other/Mix/1.yaml").is_file()
    assert not (carried.root / "specs/com.other").exists()
    assert result.stdout.splitlines()[-1] == (
        "gaps: 1; 'opmill generate' names each, and writes nothing while there is one"
    )


def test_a_spec_with_gaps_may_be_copied_and_force_writes_anew(project: Project):
    assert run(project, "Scale", "1", *EXAMPLE).exit_code == 0
    assert run(project, "Twice", "1", *EXAMPLE, "--from", "Scale-1").exit_code == 0
    assert "examples" in gaps_of(project, "specs/com.example/Twice/cases.yaml")
    project.put(MADE, "x")
    assert run(project, "Scale", "1", *EXAMPLE).exit_code == 2
    assert project.text(MADE) == "x"
    assert run(project, "Scale", "1", *EXAMPLE, "--force").exit_code == 0
    assert "TODO" in project.text(MADE)


def test_editors_are_told_the_schema_where_it_stands(project: Project):
    project.put("specs/spec.schema.json", "{}")
    assert run(project, "Mix", "1", *EXAMPLE, "--from", "Blend-1").exit_code == 0
    first = project.text("specs/com.example/Mix/1.yaml").splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../spec.schema.json"
    assert run(project, "Mixed", "1", *EXAMPLE, "--from", "Mix-1").exit_code == 0
    assert project.text("specs/com.example/Mixed/1.yaml").count("yaml-language-server") == 1
