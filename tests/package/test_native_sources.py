"""Tests of a package do not run on a native module that is older than its C sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from native_calls import needs_c

GENERATED = Path(__file__).parents[2] / "generated"
pytestmark = [needs_c, pytest.mark.slow]


def run_beside(library: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The tests of an operator with a copy of a C library beside it."""
    shutil.copytree(library, folder / "c", ignore=shutil.ignore_patterns("tests", "fuzz", "*.md"))
    (folder / "tests").mkdir()
    for name in ("conftest.py", "operator_versions.py", "test_operators.py"):
        shutil.copy2(GENERATED / "tests" / name, folder / "tests")
    for name in ("opmill_checks", "oracles"):
        if (GENERATED / "tests" / name).exists():
            (folder / "tests" / name).symlink_to(GENERATED / "tests" / name)
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "Relu-14")
    command = [sys.executable, "-m", "pytest", *options, "."]
    return subprocess.run(
        command, cwd=folder / "tests", capture_output=True, text=True, check=False
    )


def test_the_sources_it_was_built_of(tmp_path: Path) -> None:
    done = run_beside(GENERATED / "c", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


@pytest.mark.parametrize("change", ["another byte", "another file", "a file less"])
def test_other_sources(change: str, tmp_path: Path) -> None:
    library = tmp_path / "library"
    shutil.copytree(GENERATED / "c", library, ignore=shutil.ignore_patterns("tests", "fuzz"))
    if change == "another byte":
        with (library / "src" / "runtime" / "platform" / "isa.c").open("a") as file:
            file.write("\n")
    elif change == "another file":
        (library / "include" / "more.h").write_text("")
    else:
        (library / "src" / "runtime" / "platform" / "isa.h").unlink()
    done = run_beside(library, tmp_path / "beside")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "was built of other C sources than those in" in done.stdout + done.stderr
    assert "passed" not in done.stdout
