"""The command line: words, exit codes, and no traceback whatever the input."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import opmill_gen
from command_line import call
from opmill_gen.cli import options as cli_shared
from opmill_gen.load.sources import Sources, default_sources
from small_project import (
    CASES,
    INDEX,
    RULES,
    SPEC,
    Project,
    files_below,
)

MODULE = "python/opmill/com_example/blend/v1.py"
SUMMARY = r"operator versions: 1, files: \d+, {}: {}, {}: {}, seconds: \d+\.\d\d\n"


def test_generate_writes_beside_the_specs_and_then_has_nothing_to_do(project: Project):
    first = call("generate")
    assert first.exit_code == 0
    assert re.fullmatch(SUMMARY.format("written", r"\d\d+", "deleted", 0), first.stdout)
    assert (project.root / "generated" / MODULE).is_file()
    second = call("generate")
    assert second.exit_code == 0
    assert re.fullmatch(SUMMARY.format("written", 0, "deleted", 0), second.stdout)


def test_generate_to_another_folder(project: Project, tmp_path: Path):
    assert call("generate", "--output", "some/where").exit_code == 0
    assert (project.root / "some/where" / MODULE).is_file()
    assert not (project.root / "generated").exists()


def test_generate_from_other_specs(project: Project, tmp_path: Path):
    (project.root / "specs").rename(tmp_path / "mine")
    result = call("generate", "--specs", "../mine")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "generated" / MODULE).is_file()


def test_check_of_a_fresh_tree(project: Project):
    call("generate")
    before = files_below(project.root)
    result = call("generate", "--check")
    assert result.exit_code == 0
    assert re.fullmatch(SUMMARY.format("stale", 0, "orphaned", 0), result.stdout)
    assert result.stderr == ""
    assert files_below(project.root) == before


def test_check_of_a_stale_tree(project: Project):
    call("generate")
    (project.root / "generated/extra").write_text("x")
    project.edit("The factor.", "A factor.")
    before = files_below(project.root)
    result = call("generate", "--check")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    listed = "opmill-files.txt"
    assert lines[:2] == [f"--- generated/{listed}", f"+++ generated/{listed} (as it should be)"]
    start = lines.index(f"--- generated/{MODULE}")
    assert lines[start + 1] == f"+++ generated/{MODULE} (as it should be)"
    assert "-            The factor." in lines
    assert "+            A factor." in lines
    assert re.fullmatch(SUMMARY.format("stale", 3, "orphaned", 0), lines[-1] + "\n")
    assert result.stderr == (
        "generated/extra: not made by opmill; move or delete it\n"
        "The output is stale; repair it with: make generate\n"
    )
    assert files_below(project.root) == before


def test_the_repair_names_what_was_named(project: Project):
    result = call("generate", "--check", "--specs", "specs", "--output", "elsewhere")
    assert result.exit_code == 1
    assert result.stderr == (
        "The output is stale; repair it with: opmill generate --specs specs --output elsewhere\n"
    )


def test_check_names_the_first_of_the_files_that_are_missing(project: Project):
    result = call("generate", "--check")
    assert result.exit_code == 1
    *named, rest, summary = result.stdout.splitlines()
    assert len(named) == 10
    assert all(line.startswith("missing: generated/") for line in named)
    more = re.fullmatch(r"missing: (\d+) more files", rest)
    assert more
    assert re.fullmatch(SUMMARY.format("stale", 10 + int(more[1]), "orphaned", 0), summary + "\n")


def test_a_long_difference_is_cut(project: Project):
    call("generate")
    for path in (project.root / "generated/python").rglob("*.py"):
        path.write_text(path.read_text() + "# edited\n" * 50)
    lines = call("generate", "--check").stdout.splitlines()
    assert lines[0].startswith("--- generated/python/")
    assert lines[400] == "... and more lines"
    assert all(line.startswith("changed: ") for line in lines[401:-1])
    assert len(lines) == 401 + 11 + 1


def test_the_list_of_commands_is_not_cut():
    lines = call("--help").stdout.partition("Commands:\n")[2].splitlines()
    assert len(lines) >= 8
    for line in lines:
        assert line.endswith(".")
        assert not line.endswith("...")


def test_an_output_that_nobody_reads_to_its_end(tmp_path: Path):
    """As in ``opmill list | head -1``: the command ends without a message."""
    script = (
        "import os, sys; from opmill_gen.cli.main import main\n"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n"
        "main(['new', 'Twice', '1', '--domain', 'com.example', '--specs', 'specs'])"
    )
    source = str(Path(opmill_gen.__file__).parents[1])
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        timeout=60,
    )
    assert result.stderr == b""
    assert result.returncode == 1
    assert (tmp_path / "specs/com.example/Twice/1.yaml").is_file()


def test_list(project: Project):
    result = call("list")
    assert result.exit_code == 0
    assert [re.sub(" +", " ", line).rstrip() for line in result.stdout.splitlines()] == [
        "operator domain supported published family",
        "Blend com.example 1 1, 2, 3 blend",
        "com.example: 1 of 3 versions supported, 1 operators published up to opset 3",
    ]


LONG = "AnOperatorWhoseNameIsLongerThanMostNamesOfOperatorsAreAndThanATerminalIsWide"


def test_a_table_that_is_piped_has_a_line_for_each_row_and_cuts_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "40")
    for path, text in ((SPEC, project.text(SPEC)), (CASES, project.text(CASES))):
        project.put(
            path.replace("Blend", LONG), text.replace("operator: Blend", f"operator: {LONG}")
        )
    project.edit("Blend: {", f"{LONG}: {{versions: [1]}}\n  Blend: {{", INDEX)
    lines = call("list").stdout.splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["operator", "domain", "supported", "published", "family"],
        [LONG, "com.example", "1", "1", "blend"],
        ["Blend", "com.example", "1", "1,", "2,", "3", "blend"],
    ]
    starts = {tuple(line.find(word) for word in ("com.", "blend")) for line in lines[1:3]}
    assert len(starts) == 1
    assert all(line == line.rstrip() for line in lines)


def test_a_table_in_a_terminal_is_folded_not_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    cli_shared.print_table(("operator", "by"), [(LONG, "not supported (node [7])")])
    lines = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    assert all(len(line) <= 40 for line in lines)
    width = lines[0].index("by")
    assert "".join(line[:width].strip() for line in lines[1:]) == LONG
    assert "".join(line[width:].replace(" ", "") for line in lines[1:]) == "notsupported(node[7])"


def test_list_without_an_index(project: Project):
    (project.root / INDEX).unlink()
    lines = call("list").stdout.splitlines()
    assert [re.sub(" +", " ", line).rstrip() for line in lines] == [
        "operator domain supported published family",
        "Blend com.example 1 - blend",
    ]


SHOWN = """\
Blend-1 of com.example
  support_level: common
  function: False
  shape_inference: True
  deprecated: False
  determinism: deterministic

Multiplies [X] with the gain and adds the bias.

Inputs (between 1 and 2)
  X: T
      The data.
  bias: T, optional
      What is added.

Outputs (1)
  Y: T
      The result.

Attributes
  gain: INT, default 1
      The factor.
  mode: STRING, default flat, one of flat, steep
      How.
  size: INTS, required
      D.

Types
  T: tensor(float), tensor(int32)
      The element type.

examples: 2, rejects: 1, family: blend, file: specs/com.example/Blend/1.yaml

Changes
  - More [bold]. (shown by: plain)

Errata
  - Unclear.
    We: Decide.
"""


def test_show(project: Project):
    project.edit("Multiplies X", "Multiplies [X]")
    project.edit(
        "type_constraints:",
        "  - {name: size, kind: INTS, required: true, description: D.}\ntype_constraints:",
    )
    project.edit("attributes: {gain: 2}", "attributes: {gain: 2, size: []}")
    outputs = "    outputs: {Y: {type: int32"
    project.edit(outputs, f"    attributes: {{size: []}}\n{outputs}")
    project.edit("source:", "changes:\n  - {what: 'More [bold].', shown_by: plain}\nsource:")
    project.put(
        "specs/com.example/Blend/errata.yaml",
        "errata:\n  - {kind: silent, text: Unclear., decision: Decide., evidence: E.}\n",
    )
    project.edit("gain: int, mode: str)", "gain: int, mode: str, size: Ints)", RULES)
    for arguments in (["Blend"], ["Blend", "1"]):
        result = call("show", *arguments)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == SHOWN


def test_show_cases(project: Project):
    """Those of one version, in the form in which they are written, without ranges."""
    changes = "changes: [{what: More., shown_by: plain}]\nsource:"
    text = project.text(SPEC).replace("since_version: 1", "since_version: 2")
    project.put("specs/com.example/Blend/2.yaml", text.replace("source:", changes))
    project.edit(
        "  - name: doubled\n",
        "  # From here on.\n  - since: 2\n    # Twice.\n    name: doubled\n",
    )
    project.edit("  - name: a matrix", "  - name: a matrix\n    before: 2")
    project.edit("X must be 1-D, got rank 2", "X must be one of {T}")
    plain = (
        "examples:\n  - name: plain\n    inputs: {X: {type: int32, value: [1, 2]}}\n"
        "    outputs: {Y: {type: int32, value: [1, 2]}}\n"
    )
    assert call("show", "Blend", "1", "--cases").stdout == (
        f"{plain}rejects:\n  - name: a matrix\n    inputs: {{X: {{type: int32, value: [[1]]}}}}\n"
        '    raises: ShapeError\n    error: "X must be one of float, int32"\n'
    )
    assert call("show", "Blend", "2", "--cases").stdout == (
        f"{plain}  # From here on.\n  - # Twice.\n    name: doubled\n"
        "    inputs: {X: {type: float, value: [0.5, 2]}, bias: {type: float, value: 3}}\n"
        "    attributes: {gain: 2}\n    outputs: {Y: {type: float, value: [4, 7]}}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["show", "Blond"], "there is no operator 'Blond'; did you mean 'Blend'?"),
        (["show", "zzz"], "there is no operator 'zzz'; expected Blend"),
        (
            ["show", "Blend", "2"],
            "Blend-2 of com.example is published and has no spec; 'opmill new Blend 2' begins one",
        ),
        (["show", "Blend", "--published", "--cases"], "--published is text; leave out --json"),
        (["show", "Blend", "7"], "there is no version 7 of Blend; there are 1"),
        (["show", "Blend", "x"], "Invalid value for '[VERSION]': 'x' is not a valid integer."),
        (["show"], "Missing argument 'OPERATOR'."),
        (["generat"], "No such command 'generat'"),
        (["generate", "--chek"], "--chek"),
        (["generate", "--specs", "gone"], "Directory 'gone' does not exist."),
    ],
)
def test_a_wrong_call_is_answered(project: Project, arguments: list[str], message: str):
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr


def test_verify(project: Project):
    result = call("verify")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.fullmatch(r"0 of 0 operator versions agree with onnx [\d.]+\n", result.stdout)


def test_verify_exits_with_1_where_there_is_a_difference(project: Project):
    project.put("specs/ai.onnx/Blend/1.yaml", project.text(SPEC).replace("com.example", "ai.onnx"))
    project.put("specs/ai.onnx/Blend/cases.yaml", project.text(CASES))
    result = call("verify")
    assert result.exit_code == 1
    assert result.stderr == ("specs/ai.onnx/Blend/1.yaml:1:1: onnx has no Blend-1 in ai.onnx\n")
    assert result.stdout.startswith("0 of 1 operator versions agree with onnx ")


def test_verify_without_onnx(project: Project, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    result = call("verify")
    assert result.exit_code == 2
    start = "verify needs the package onnx; install it with: pip install '"
    assert result.stderr.startswith(start)
    assert "'onnx<2,>=1.16'" in result.stderr


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(option: str):
    result = call(option)
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: opmill [OPTIONS] COMMAND [ARGS]...\n")
    for command in ("generate", "verify", "list", "show"):
        assert re.search(rf"^  {command} +\w", result.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("generate", ["--check", "--specs DIRECTORY", "--output DIRECTORY"]),
        ("verify", ["--specs DIRECTORY"]),
        ("list", ["--specs DIRECTORY"]),
        ("show", ["OPERATOR [VERSION]", "--specs DIRECTORY"]),
    ],
)
def test_help_of_a_command(command: str, words: list[str]):
    result = call(command, "--help")
    assert result.exit_code == 0
    for word in words:
        assert word in result.stdout


def test_sources_are_those_of_the_checkout():
    sources = default_sources()
    assert isinstance(sources, Sources)
    assert (sources.specs / "ai.onnx/index.yaml").is_file()
    assert (sources.templates / "python/version.py.j2").is_file()
    assert sources.families == (sources.root / "families",)
