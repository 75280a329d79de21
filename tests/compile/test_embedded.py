"""The example of a microcontroller: built and run in QEMU, where its tools are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "embedded"
TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")

pytestmark = [
    pytest.mark.sanitized,
    pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}"),
]


def test_the_keyword_spotter_has_the_bits_of_the_model(tmp_path):
    sources = [path for path in EXAMPLE.iterdir() if path.is_file()]
    for path in sources:
        shutil.copy(path, tmp_path)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ran = subprocess.run(
        ["make", "--no-print-directory", f"PYTHON={sys.executable}"],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-2000:]
    printed = ran.stdout.splitlines()
    assert printed[-1] == "all outputs have the expected bits"
    assert [line.partition(":")[0] for line in printed[-4:-1]] == ["arena", "stack", "instructions"]
    shown = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert f"{printed[-4]}\n" in shown  # other lines depend on the compiler
