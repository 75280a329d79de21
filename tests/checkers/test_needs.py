"""Requirements of generated tests where a package is installed: pytest, but no drawing of calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "generated" / "tests"
IMPORTS = """
import importlib, pkgutil, sys
sys.modules["hypothesis"] = None
import oracles
names = [one.name for one in pkgutil.iter_modules(oracles.__path__)]
for name in names:
    importlib.import_module(f"oracles.{name}")
print(len(names))
"""


def test_oracles_are_imported_without_hypothesis() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=TESTS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20
