"""The same inputs give the same bytes, wherever and under whatever settings they are generated."""

from __future__ import annotations

import getpass
import os
import re
import socket
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import opmill_gen
from small_project import Project, files_below, with_real_templates

pytestmark = pytest.mark.slow

ROOT = Path(opmill_gen.__file__).resolve().parent.parent.parent
GENERATED = ROOT / "generated"
SETTINGS = {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Auckland", "PYTHONUTF8": "0"}


def content(folder: Path) -> dict[str, bytes]:
    """The files of a run, without those that only the next run reads."""
    return {
        path: text
        for path, text in files_below(folder).items()
        if not path.startswith(".opmill-") and "__pycache__" not in path
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return with_real_templates(tmp_path_factory.mktemp("small"))


def generated(project: Project, folder: Path, **settings: str) -> dict[str, bytes]:
    """A small project, generated from nothing by a process with these settings, elsewhere."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    environment |= settings | {"PYTHONPATH": str(ROOT / "generator")}
    command = [sys.executable, "-m", "opmill_gen", "generate", "--output", str(folder / "out")]
    command += ["--specs", str(project.sources.specs)]
    for families in project.sources.families:
        command += ["--families", str(families)]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    return content(folder / "out")


def test_another_run_gives_the_same_bytes(project: Project, tmp_path_factory: Any):
    """``make check`` asks the same of the project's own specs, with the same settings."""
    plain = generated(project, tmp_path_factory.mktemp("plain"), PYTHONHASHSEED="0")
    odd = generated(project, tmp_path_factory.mktemp("odd"), **SETTINGS)
    assert odd == plain
    assert len(odd) > 80


def test_make_check_has_these_settings():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    settings = " ".join(f"{name}={value}" for name, value in SETTINGS.items())
    assert f"\t{settings} $(OPMILL) generate --check\n" in text


def test_nothing_of_the_machine_is_in_the_output():
    words = {str(ROOT), str(Path.home()), "/tmp", socket.gethostname(), date.today().isoformat()}
    if len(getpass.getuser()) > 4:
        words.add(getpass.getuser())
    forbidden = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in words))
    committed = content(GENERATED)
    assert len(committed) > 80
    for path, text in committed.items():
        found = forbidden.search(text.decode())
        assert found is None, f"{path} holds {found and found[0]}"
