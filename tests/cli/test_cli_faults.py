"""Faults on the command line: all at once, exit code 2, nothing written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import opmill_gen
from command_line import call
from small_project import (
    FAMILY,
    INDEX,
    RULES,
    SPEC,
    Project,
    files_below,
)

EXPECTED = [
    "families/blend/family.yaml:3:16: 'int' is unknown here; did you mean 'integer'?",
    "specs/com.example/Blend/1.yaml:5:11: expected true or false, got text 'no'",
    "specs/com.example/Blend/1.yaml:16:24: 'INTS2' is unknown here; did you mean 'INTS'?",
    "specs/com.example/index.yaml:2:8: expected a whole number, got text 'three'",
]


def plant_everywhere(project: Project) -> None:
    project.edit("function: false", "function: no")
    project.edit("kind: INT,", "kind: INTS2,")
    project.edit("opset: 3", "opset: three", INDEX)
    project.edit("kind: integer", "kind: int", FAMILY)


@pytest.mark.parametrize("arguments", [["generate"], ["generate", "--check"]])
def test_faults_are_told_all_at_once_and_nothing_is_written(project: Project, arguments: list[str]):
    plant_everywhere(project)
    result = call(*arguments)
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [*EXPECTED, "faults: 4; nothing was written"]
    assert result.stdout == ""
    assert not (project.root / "generated").exists()


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (["list"], ("index.yaml",)),
        (["show", "Blend"], ("Blend/1.yaml",)),
        (["show", "Blond"], ("index.yaml",)),
        (["diff", "Blend", "1", "1"], ("Blend/1.yaml",)),
        (["verify"], ("index.yaml",)),
    ],
)
def test_a_command_that_prints_tells_the_faults_of_what_it_reads(
    project: Project, arguments: list[str], files: tuple[str, ...]
):
    plant_everywhere(project)
    result = call(*arguments)
    expected = [line for line in EXPECTED if line.split(":")[0].endswith(files)]
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[:-1] == expected


def test_faults_of_signature_rules_and_cases_come_together(project: Project):
    project.edit('error: "X must be 1-D, got rank 2"', "error: ''")
    project.edit("default: 1,", "default: one,")
    project.edit("operator: Blend", "operator: Blend\npython_name: _x")
    project.edit("X.rank == 1", "X.rank == one", RULES)
    result = call("generate")
    assert result.exit_code == 2
    assert [line.split(": ")[0] for line in result.stderr.splitlines()] == [
        "families/blend/rules.py:5:23",
        "specs/com.example/Blend/1.yaml:2:14",
        "specs/com.example/Blend/1.yaml:17:38",
        "specs/com.example/Blend/cases.yaml:13:12",
        "faults",
    ]


def test_the_process_itself(tmp_path: Path):
    """The one test through a shell's eyes: exit code 2, the words on stderr, no traceback."""
    project = Project(tmp_path)
    project.edit("function: false", "function: no")
    project.edit("family: {name: blend, with: {step: 2}}", "family: tile")
    result = subprocess.run(
        [sys.executable, "-m", "opmill_gen", "generate", "--specs", "specs", "--output", "out"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(opmill_gen.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == (
        f"{SPEC}:5:11: expected true or false, got text 'no'\nfaults: 1; nothing was written\n"
    )
    assert not (tmp_path / "out").exists()


def test_a_foreign_folder_is_refused(project: Project):
    (project.root / "home").mkdir()
    (project.root / "home/letter").write_text("Dear")
    result = call("generate", "--output", "home")
    assert result.exit_code == 2
    assert result.stderr == (
        "home: the folder holds 'letter' and no list 'opmill-files.txt' of files that opmill made, "
        "expected an empty folder or an earlier output; name one with --output\n"
        "faults: 1; nothing was written\n"
    )
    assert files_below(project.root / "home") == {"letter": b"Dear"}
