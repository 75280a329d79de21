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

import pytest

import opmill_gen
from small_project import files_below

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
def run(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The project's own specs, generated from nothing under odd settings, in another place."""
    folder = tmp_path_factory.mktemp("run")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
    environment |= SETTINGS | {"PYTHONPATH": str(ROOT / "generator")}
    command = [sys.executable, "-m", "opmill_gen", "generate", "--output", str(folder / "out")]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    return content(folder / "out")


def test_another_run_gives_the_same_bytes(run: dict[str, bytes]):
    """As that whose output is in the checkout, which had other settings and another hash seed."""
    committed = content(GENERATED)
    assert run.keys() == committed.keys()
    assert [path for path in run if run[path] != committed[path]] == []
    assert len(run) > 80


def test_nothing_of_the_machine_is_in_the_output(run: dict[str, bytes]):
    words = {str(ROOT), str(Path.home()), "/tmp", socket.gethostname(), date.today().isoformat()}
    if len(getpass.getuser()) > 4:
        words.add(getpass.getuser())
    forbidden = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in words))
    for path, content in run.items():
        found = forbidden.search(content.decode())
        assert found is None, f"{path} holds {found and found[0]}"
