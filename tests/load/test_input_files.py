"""Entries of the input folders that cannot be read: refused in words, and nothing is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opmill_gen.cli import main as cli
from small_project import CASES, SPEC, Project

NEXT = "specs/com.example/Blend/2.yaml"
FIGURE = "families/blend/figure.py"


def generate(project: Project, monkeypatch: pytest.MonkeyPatch) -> Result:
    monkeypatch.setattr("opmill_gen.cli.options.default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    result = CliRunner().invoke(cli.main, ["generate"], prog_name="opmill")
    assert result.exit_code == 2, result.output
    assert not (project.root / "generated").exists()
    return result


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def long_file(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


def linked_folder(path: Path) -> None:
    path.symlink_to(path.parent, target_is_directory=True)


ENTRIES = {
    "a pipe": (os.mkfifo, "is a pipe, expected a regular file; remove it"),
    "a device": (device, "is a device, expected a regular file; remove it"),
    "a folder": (os.mkdir, "is a folder, expected a file; rename or remove it"),
    "a long file": (long_file, "has 1099511627776 bytes, expected at most 67108864"),
    "a linked folder": (linked_folder, "is a link to a folder, which is not followed"),
}


@pytest.mark.parametrize("file", [NEXT, CASES, FIGURE, "specs/com.example/index.yaml"])
@pytest.mark.parametrize("entry", ENTRIES)
def test_what_is_no_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, file: str
):
    make, message = ENTRIES[entry]
    project = Project(tmp_path)
    (project.root / file).unlink(missing_ok=True)
    make(project.root / file)
    assert generate(project, monkeypatch).stderr.startswith(f"{file}: {message}")


@pytest.mark.parametrize("folder", ["specs", "specs/com.example/Blend", "families/blend"])
def test_a_name_that_is_not_utf8_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
):
    project = Project(tmp_path)
    name = os.fsencode(project.root / folder) + b"/\xff.yaml"
    try:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("the file system demands UTF-8")
    lines = generate(project, monkeypatch).stderr.splitlines()
    assert lines[0] == f"{folder}/\\xff.yaml: the name is not UTF-8; rename it"


@pytest.mark.parametrize("make", [os.mkfifo, device, long_file])
def test_commands_that_print_refuse_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make):
    project = Project(tmp_path)
    (project.root / SPEC).unlink()
    make(project.root / SPEC)
    monkeypatch.setattr("opmill_gen.cli.options.default_sources", lambda: project.sources)
    monkeypatch.chdir(project.root)
    for arguments, code in ((["list"], 0), (["show", "Blend"], 2)):
        result = CliRunner().invoke(cli.main, arguments, prog_name="opmill")
        assert (result.exit_code, f"{SPEC}" in result.stderr) == (code, True)
