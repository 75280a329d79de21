"""The report of 'make generate' while the native module compiles."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "generator" / "compile_progress.py"


def run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(
        [sys.executable, SCRIPT, *command], capture_output=True, text=True, check=False
    )


def test_a_slow_build_reports_plain_lines_with_an_estimate() -> None:
    ran = run(
        "import time\n"
        "print('  [0/2] Re-checking globbed directories...', flush=True); time.sleep(2.2)\n"
        "print('  [1/8] Building C object a.o', flush=True); time.sleep(2.2)\n"
        "print('  [2/8] Building C object b.o', flush=True)"
    )
    assert ran.returncode == 0
    # One object in 2.2 seconds, so six more take about 13; a busy machine takes longer.
    begin, _, left = ran.stderr.strip().partition(", about ")
    assert begin == "compiling: 2 of 8 objects"
    assert left.startswith("0:")
    assert left.endswith(" left")
    assert 13 <= int(left[2:4]) < 60


def test_a_quick_build_reports_nothing() -> None:
    ran = run("print('[1/2] Building C object a.o')\nprint('[2/2] Linking')")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_a_failure_shows_the_output_and_the_status() -> None:
    ran = run("import sys\nprint('[1/2] Building')\nprint('error: no such file')\nsys.exit(3)")
    assert ran.returncode == 3
    assert ran.stderr == "[1/2] Building\nerror: no such file\n"
