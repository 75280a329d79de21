"""Runs the tests of the files that differ from the last commit: ``make quick``.

These are the tests of the operators whose specs, families or tests changed, the test modules that
changed or import a changed module of the generator, and the folders of tests about a changed part.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]

FOLDERS = {
    "runtime/python/_model": "tests/model",
    "runtime/python/_onnx": "tests/model tests/plugins",
    "runtime/python/_runtime": "tests/package",
    "runtime/python/conformance": "tests/conformance",
    "runtime/tests": "tests/checkers",
    "docs": "tests/emit/test_manual.py",
    "templates/docs": "tests/emit/test_manual.py",
    "runtime/c": "tests/c_library",
    "runtime/native": "tests/package/test_native.py",
    "benchmarks": "tests/benchmarks",
}
"""The tests of what is not an operator and not a module of the generator, by where that is."""


OF_OPERATORS = ["generated/tests", "tests/operators", "tests/families"]
"""Where tests of operators are."""


def changed_files() -> list[PurePosixPath]:
    """The files that differ from the last commit, and those that git does not know yet."""
    listed = [
        subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=True)
        for command in (
            ["diff", "--name-only", "HEAD"],
            ["ls-files", "--others", "--exclude-standard"],
        )
    ]
    names = "".join(found.stdout for found in listed).splitlines()
    return [PurePosixPath(name) for name in sorted(set(names)) if not name.startswith("generated/")]


def operators_of(path: PurePosixPath) -> Iterator[str]:
    """The operators that a file of a spec, of a family or of an operator's tests is about."""
    match path.parts:
        case ["specs", _, operator, _]:
            yield operator
        case ["tests", "operators", operator, *_] if len(path.parts) > 3:
            yield operator
        case ["tests", "records", _, name]:
            yield PurePosixPath(name).stem
        case ["families", family, _, *_]:
            named = rf"^family:(\s*\{{name:|\s*name:)?\s*{re.escape(family)}\b"
            for spec in sorted((ROOT / "specs").glob("*/*/[0-9]*.yaml")):
                if re.search(named, spec.read_text(encoding="utf-8"), re.MULTILINE):
                    yield spec.parent.name


def tests_of(path: PurePosixPath) -> Iterator[str]:
    """The test modules and folders of tests that a file which is about no operator calls for."""
    name = path.as_posix()
    if name.startswith("tests/") and path.name.startswith("test_"):
        yield name
    elif name.startswith(("tests/support/", "generator/opmill_gen/")):
        module = path.stem if name.startswith("tests/") else path.with_suffix("").as_posix()
        dotted = module.removeprefix("generator/").replace("/", ".")
        imports = re.compile(rf"^\s*(from|import) {re.escape(dotted)}\b", re.MULTILINE)
        for test in sorted((ROOT / "tests").rglob("test_*.py")):
            if imports.search(test.read_text(encoding="utf-8")):
                yield test.relative_to(ROOT).as_posix()
    for folder, tests in FOLDERS.items():
        if name.startswith(f"{folder}/"):
            yield from tests.split()


def selection(files: Iterable[PurePosixPath]) -> tuple[list[str], list[str]]:
    """The operators and the paths of tests that changed files call for."""
    files = list(files)
    operators = {operator for path in files for operator in operators_of(path)}
    tests = {test for path in files if not set(operators_of(path)) for test in tests_of(path)}
    present = {test for test in tests if (ROOT / test).exists()}
    inside = {test for test in present if any(test.startswith(f"{one}/") for one in present)}
    return sorted(operators), sorted(present - inside)


def arguments(operators: list[str], paths: list[str]) -> list[str]:
    """The arguments of pytest; none if nothing is to be run."""
    if operators:
        return ["--operators", " ".join(operators), *OF_OPERATORS, *paths]
    return paths


if __name__ == "__main__":
    given = arguments(*selection(changed_files()))
    if not given:
        sys.exit(0)
    command = [sys.executable, "-m", "pytest", "-q", *sys.argv[1:], *given]
    print(shlex.join(command[1:]), flush=True)
    sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)
