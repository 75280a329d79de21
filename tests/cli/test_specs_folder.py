"""Choice of a command's specs: those here or above, else those that opmill was installed with."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opmill_gen.cli import main as cli
from opmill_gen.cli import options
from small_project import Project


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project that opmill was installed with, away from the working folder."""
    project = Project(tmp_path / "installed")
    monkeypatch.setattr(options, "default_sources", lambda: project.sources)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return project


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments, prog_name="opmill")


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_installed_specs_are_read_and_announced(installed: Project):
    result = call("show", "Blend")
    assert result.exit_code == 0
    assert result.stderr == f"specs: {installed.root / 'specs'}\n"


def test_specs_here_are_used_without_a_word(installed: Project, tmp_path: Path):
    own = Project(tmp_path / "here")
    own.edit("Multiplies X", "Divides X")
    result = call("show", "Blend")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "Divides X" in result.stdout


def test_specs_above_are_used_and_announced(
    installed: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    own = Project(tmp_path / "here")
    own.edit("Multiplies X", "Divides X")
    inner = tmp_path / "here/specs/com.example"
    monkeypatch.chdir(inner)
    result = call("show", "Blend")
    assert result.stderr == f"specs: {own.root / 'specs'}\n"
    assert "Divides X" in result.stdout
    begun = call("new", "Mix", "1", "--domain", "com.example")
    assert begun.exit_code == 0
    assert (inner / "Mix/1.yaml").is_file()


def test_an_option_needs_no_announcement(installed: Project):
    result = call("show", "Blend", "--specs", str(installed.root / "specs"))
    assert (result.exit_code, result.stderr) == (0, "")


def test_installed_specs_are_never_written(installed: Project, tmp_path: Path):
    """Specs that ``new`` writes here are read by the next command, and output is generated here."""
    before = files(installed.root)
    assert options.default_output(installed.root / "specs") == tmp_path / "here/generated"
    result = call("new", "Mix", "1", "--domain", "com.other", "--from", "Blend-1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (tmp_path / "here/specs/com.other/Mix/1.yaml").is_file()
    assert files(installed.root) == before
    assert "com.other" in call("show", "Mix").stdout


def test_a_folder_without_specs_is_none_of_ours(installed: Project, tmp_path: Path):
    (tmp_path / "here/specs").mkdir()
    (tmp_path / "here/specs/README").write_text("tests of a Ruby project\n")
    assert call("show", "Blend").stderr == f"specs: {installed.root / 'specs'}\n"
