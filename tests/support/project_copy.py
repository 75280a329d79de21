"""A copy of the project in which the commands of its pages are run as they are printed.

``make generate`` and ``make dev`` stand there for people, who have an environment to make; here
the environment is given, and it runs what that command runs first.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Collection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
FOLDERS = ("docs", "families", "generated", "generator", "runtime", "specs", "templates")
PROGRAMS = {
    "opmill": 'exec "$PYTHON" -S -m opmill_gen "$@"',
    "make": 'test "$*" = generate -o "$*" = dev && exec opmill generate',
    "python": 'test "$1" = -c || set -- -S "$@"; exec "$PYTHON" "$@"',
}


class Copy:
    """A copy of the project, and the programs of its environment.

    Args:
        folder: the folder of the copy.
        operators: the operators of ai.onnx whose specs are copied, and none of other domains;
            without them, all, and what is generated. A command takes the time of what it generates.
    """

    def __init__(self, folder: Path, operators: Collection[str] = ()) -> None:
        self.project = folder / "project"
        for name in (*FOLDERS, "pyproject.toml"):
            if operators and name == "generated":
                continue
            (self.project / name).parent.mkdir(exist_ok=True)
            if not (ROOT / name).is_dir():
                shutil.copy(ROOT / name, self.project / name)
                continue
            shutil.copytree(ROOT / name, self.project / name, ignore=_but(operators))
        programs = folder / "bin"
        programs.mkdir()
        for name, line in PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        (self.project / ".venv/bin").mkdir(parents=True)
        (self.project / ".venv/bin/activate").write_text("")
        # -S leaves out the editable installation, whose opmill would come before this one.
        found = [self.project / "generator", self.project / "generated/python"]
        outer = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        self.environment = outer | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([*map(str, found), sysconfig.get_path("purelib")]),
            "COLUMNS": "100",
        }

    def run(self, command: list[str], text: str = "") -> str:
        """Run a command and return its output."""
        result = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return result.stdout

    def shell(self, block: str) -> list[tuple[str, str, str]]:
        """Each command of a block, what it prints, and what the block says that it prints.

        The commands share a shell, so that one can set what another needs.
        """
        commands = COMMAND.findall(block)
        assert "".join(f"$ {command}\n{wanted}" for command, wanted in commands) == block
        mark = "---- next ----"
        script = "".join(f"{command}\necho '{mark}'\n" for command, _ in commands)
        printed = self.run(["sh", "-c", script]).split(f"{mark}\n")
        return [
            (command, got, wanted)
            for (command, wanted), got in zip(commands, printed, strict=False)
        ]


def _but(operators: Collection[str]) -> Callable[[str, list[str]], list[str]]:
    """Return the names that ``shutil.copytree`` leaves out: other operators and domains."""
    wanted = {ROOT / "specs": {"ai.onnx"}, ROOT / "specs/ai.onnx": set(operators)}

    def left_out(folder: str, names: list[str]) -> list[str]:
        kept = wanted.get(Path(folder))
        if not operators or kept is None:
            return []
        return [name for name in names if (Path(folder) / name).is_dir() and name not in kept]

    return left_out


def matches(wanted: str, got: str) -> bool:
    """Return whether a text is the one printed, where ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)
