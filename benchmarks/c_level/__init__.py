"""Calls of a few numbers timed from C: builds ``call_times.c`` with the C library and runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.clock import Effort, Spread

FOLDER = Path(__file__).resolve().parent
BUILD = FOLDER.parent.parent / "build" / "benchmarks"
CALLS = 20000
REST_SECONDS = 1.0
"""Between rounds: what shares a core with this process may slow it down for seconds."""


def times(effort: Effort) -> dict[str, Spread]:
    """The time of one call by operator; empty where there is no C compiler or cmake."""
    beside_python = str(Path(sys.executable).parent)
    path = os.pathsep.join([beside_python, os.environ.get("PATH", os.defpath)])
    cmake = shutil.which("cmake", path=path)
    if cmake is None or shutil.which(os.environ.get("CC", "cc")) is None:
        print("cmake or a C compiler is missing: calls from C are left out")
        return {}
    for command in (
        [cmake, "-S", str(FOLDER), "-B", str(BUILD), "-DCMAKE_BUILD_TYPE=Release"],
        [cmake, "--build", str(BUILD), "--target", "call_times"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    rounds = [_round() for _ in range(effort.rounds)]
    return {name: Spread.of([each[name] for each in rounds]) for name in rounds[0]}


def _round() -> dict[str, float]:
    """The seconds of one call in one round, after a rest."""
    time.sleep(REST_SECONDS)
    finished = subprocess.run(
        [str(BUILD / "call_times"), str(CALLS)], check=True, capture_output=True, text=True
    )
    pairs = (line.split() for line in finished.stdout.splitlines())
    return {name: float(nanoseconds) * 1e-9 for name, nanoseconds in pairs}
