"""Output of the command line for each broken project: exactly this, exit code 2, nothing written.

``OPMILL_RENEW_BROKEN=1`` writes the expected texts anew, to be read as a user reads them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from broken_projects import FILES, FOLDER, NAMES, broken_project, change_of
from opmill_gen.cli import main as cli
from opmill_gen.cli import options as cli_shared
from opmill_gen.load.sources import Sources, default_sources
from schema_problems import problems
from small_project import files_below

SCHEMAS = ("spec", "cases", "index", "family")


@pytest.mark.parametrize("name", NAMES)
def test_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    project = broken_project(tmp_path / "project", name)
    own = project.sources
    sources = Sources(own.specs, default_sources().templates, own.families)
    monkeypatch.setattr(cli_shared, "default_sources", lambda: sources)
    monkeypatch.chdir(project.root)
    before = files_below(tmp_path)
    result = CliRunner().invoke(cli.main, ["generate"], prog_name="opmill")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert files_below(tmp_path) == before
    expected = FOLDER / name / "expected.txt"
    if os.environ.get("OPMILL_RENEW_BROKEN"):
        expected.write_text(result.stderr)
    assert result.stderr == expected.read_text()


@pytest.mark.parametrize("name", [n for n in NAMES if "schema" in change_of(n)])
def test_the_schema_refuses_what_it_can_see(tmp_path: Path, name: str):
    """Each case says whether the JSON Schema of the file refuses it as well."""
    project = broken_project(tmp_path, name)
    change = change_of(name)
    changed = [edit["file"] for edit in change.get("edits", ())]
    paths = {
        **{FILES[file]: file for file in changed if file in SCHEMAS},
        **{copy["to"]: copy["of"] for copy in change.get("copies", ()) if copy["of"] in SCHEMAS},
    }
    for move in change.get("moves", ()):
        paths.pop(FILES[move["from"]], None)
        if move["from"] in SCHEMAS:
            paths[move["to"]] = move["from"]
    assert paths
    refused = [bool(problems(kind, project.text(path))) for path, kind in paths.items()]
    assert set(refused) == {change["schema"] == "refuses"}


def test_there_are_many():
    assert len(NAMES) >= 60
    for name in NAMES:
        lines = (FOLDER / name / "expected.txt").read_text().splitlines()
        assert lines[-1] == f"faults: {len(lines) - 1}; nothing was written"
