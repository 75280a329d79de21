"""The tutorial runs as it is printed: commands, edits and Python, in a copy of the project.

``make generate`` stands there for people, who have an environment to make and to install into; here
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
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "specs/TUTORIAL.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
BLOCKS = BLOCK.findall(PAGE.read_text())

PROGRAMS = {
    "opmill": 'exec "$PYTHON" -S -m opmill_gen "$@"',
    "make": 'test "$*" = generate && exec opmill generate',
    "python": 'exec "$PYTHON" -S "$@"',
}
DOCTESTS = """
import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, "tutorial", "TUTORIAL.md", 0)
result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
sys.exit(result.failed or not result.attempted)
"""


class Copy:
    """A copy of the project, and the programs of its environment."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        for name in ("specs", "templates", "generator", "generated", "pyproject.toml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            (self.project / name).parent.mkdir(exist_ok=True)
            copy(ROOT / name, self.project / name)
        programs = folder / "bin"
        programs.mkdir()
        for name, line in PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        (self.project / ".venv/bin").mkdir(parents=True)
        (self.project / ".venv/bin/activate").write_text("")
        # -S leaves out the editable installation, whose opmill would come before this one.
        found = [self.project / "generator", self.project / "generated/python"]
        self.environment = os.environ | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join([*map(str, found), sysconfig.get_path("purelib")]),
            "COLUMNS": "100",
        }

    def run(self, command: list[str], text: str = "") -> str:
        """What a command prints."""
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


def matches(wanted: str, got: str) -> bool:
    """Whether a text is the one printed, where ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    """What was done, what was printed, and what the page says, one after the other."""
    copy = Copy(tmp_path_factory.mktemp("tutorial"))
    found: list[tuple[str, str, str]] = []
    for language, text in BLOCKS:
        if language == "console":
            commands = COMMAND.findall(text)
            assert "".join(f"$ {c}\n{o}" for c, o in commands) == text
            found += [(c, copy.run(["sh", "-c", c]), wanted) for c, wanted in commands]
        elif language == "diff":
            found.append(("git apply", copy.run(["git", "apply", "--unidiff-zero", "-"], text), ""))
        else:
            assert language == "python"
            found.append(("python", copy.run(["python", "-c", DOCTESTS], text), ""))
    return found


def test_the_page_is_run_as_printed(told: list[tuple[str, str, str]]):
    for command, got, wanted in told:
        assert matches(wanted, got), f"$ {command}\n{got}"


def test_it_goes_from_the_copy_to_the_tests(told: list[tuple[str, str, str]]):
    commands = [command for command, _, _ in told]
    assert len(commands) > 12
    assert sum("nothing was written" in got for _, got, _ in told) == 3
    printed = {command: got for command, got, _ in told}
    tests = printed["python -m pytest -q generated/tests/test_tile_v99.py"]
    passed = re.search(r"(\d+) passed", tests)
    assert passed is not None
    assert int(passed[1]) > 50


def test_the_readme_names_it():
    assert "specs/TUTORIAL.md" in (ROOT / "README.md").read_text()
