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
RUNS = {
    "one": {"PYTHONHASHSEED": "1", "LC_ALL": "C", "TZ": "Pacific/Auckland", "PYTHONUTF8": "0"},
    "two": {"PYTHONHASHSEED": "271828", "LC_ALL": "C.UTF-8", "TZ": "America/Lima"},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """The project's own specs, generated twice at once."""
    processes = []
    for name, settings in RUNS.items():
        folder = tmp_path_factory.mktemp(name)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
        environment |= settings | {"PYTHONPATH": str(ROOT / "generator")}
        command = [sys.executable, "-m", "opmill_gen", "generate", "--output", str(folder / "out")]
        processes.append((folder, subprocess.Popen(command, cwd=folder, env=environment)))
    assert [process.wait() for _, process in processes] == [0, 0]
    return [files_below(folder / "out") for folder, _ in processes]


def test_two_runs_give_the_same_bytes(runs: list[dict[str, bytes]]):
    first, second = runs
    assert first.keys() == second.keys()
    assert [path for path in first if first[path] != second[path]] == []
    assert len(first) > 80


def test_nothing_of_the_machine_is_in_the_output(runs: list[dict[str, bytes]]):
    words = {str(ROOT), str(Path.home()), "/tmp", socket.gethostname(), date.today().isoformat()}
    if len(getpass.getuser()) > 4:
        words.add(getpass.getuser())
    forbidden = re.compile("|".join(rf"(?<![\w.]){re.escape(word)}(?!\w)" for word in words))
    for path, content in runs[0].items():
        found = forbidden.search(content.decode())
        assert found is None, f"{path} holds {found and found[0]}"
