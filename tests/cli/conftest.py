"""A small project, which the commands find as theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.cli import options as cli_shared
from small_project import Project, with_real_templates


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    project = with_real_templates(tmp_path / "project")
    monkeypatch.setattr(cli_shared, "default_sources", lambda: project.sources)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(project.root)
    return project
