"""Runs the commands of a page of the manual, which it prints with their output."""

from __future__ import annotations

import os
import re
import subprocess
import sysconfig
from pathlib import Path

from project_copy import COMMAND, ROOT

FILE = re.compile(r"(?:# |/\* )(\S+\.\w+)(?: \*/)?\n")
"""The first line of a block that is a file."""


def run(block: str, folder: Path) -> list[tuple[str, str, str]]:
    """Each command of a block, what it prints, and what the page says; they share a shell."""
    commands = COMMAND.findall(block)
    assert "".join(f"$ {command}\n{wanted}" for command, wanted in commands) == block
    mark = "---- next ----"
    script = "".join(f"{command}\necho '{mark}'\n" for command, _ in commands)
    outer = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", script.replace("/path/to/opmill", str(ROOT))],
        cwd=folder,
        env=outer | {"PATH": path, "COLUMNS": "80"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    printed = re.sub(r"[ ]+$", "", done.stdout, flags=re.M).split(f"{mark}\n")
    return [(*one, got) for one, got in zip(commands, printed, strict=False)]
