"""The package's interface as a type checker reads it: no name is taken for granted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytest.importorskip("mypy")

CODE = """
import numpy as np
import opmill
from opmill import opset13 as op
from opmill.tile import v13

x = np.ones((2, 2), np.float32)
y = v13.tile(op.relu(x), [1, 2])
opmill.opset13.tile(y, [1, 2])
op.tyle(x)  # error: Module has no attribute "tyle"
opmill.opset99  # error: Module has no attribute "opset99"
opmill.tile.v99  # error: Module has no attribute "v99"
opmill.operater("Tile", 13)  # error: Module has no attribute "operater"
"""


def test_names_that_are_not_there_are_errors(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(CODE)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary",
         "--cache-dir", str(ROOT / ".mypy_cache" / "use"), "use.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"MYPYPATH": str(ROOT / "generated" / "python")},
    )  # fmt: skip
    lines = CODE.splitlines()
    expected = {k for k, line in enumerate(lines, start=1) if "# error" in line}
    found = {}
    for line in done.stdout.splitlines():
        if ": error: " in line:
            place, words = line.split(": error: ", 1)
            found[int(place.rpartition(":")[2])] = words
    assert found.keys() == expected, done.stdout + done.stderr
    for k in expected:
        assert lines[k - 1].partition("# error: ")[2].partition(";")[0] in found[k]
