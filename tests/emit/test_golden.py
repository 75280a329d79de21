"""Tiny invented operators in, exact files out; then the files are imported and run.

``golden/README.md`` says what a case's folder holds and how expected files are renewed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.pipeline import generate_corpus, make_files
from opmill_gen.write.write import write

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).resolve().parent / "golden"
RENEW = os.environ.get("OPMILL_RENEW_GOLDEN") == "1"

ALL = ("*.py",)
CASES = {
    "alias": ("*/v1.py", "*/rules.py"),
    "bounded": ("*/v1.py", "*/rules.py"),
    "kernel_inputs": ("*/v1.py", "*/v2.py", "operators/com_example_*.c"),
    "optional": ("*/v1.py", "*/rules.py"),
    "parameters": ALL,
    "rows": (
        "*/v1.py",
        "_families/*/*.py",
        "families/elementwise/kernel*",
        "families/elementwise/plan.h",
        "families/elementwise_binary/kernel*",
    ),
    "prose": ("*/v1.py", "*/__init__.py"),
    "type_from": ("*/v1.py", "*/rules.py"),
    "variadic": ("*/v1.py", "*/rules.py"),
}
"""Of each case the rendered files that are kept; those that are copied as they are never are."""

OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "-W", "error", "--import-mode=importlib"),
    *("-c", os.devnull, "-o", "python_files=calls.py test_*.py"),
)


def templates() -> Path:
    return default_sources().templates


def sources_of(case: str) -> Sources:
    folder = GOLDEN / case
    return Sources(
        folder / "specs", templates(), (folder / "families", *default_sources().families)
    )


@cache
def made(case: str) -> Mapping[PurePosixPath, bytes]:
    """Every output file of a case."""
    return make_files(sources_of(case), Settings())[1]


def is_copied(path: PurePosixPath) -> bool:
    """Return whether a file is one of the runtime's as it is."""
    below = path.relative_to(path.parts[0])
    if path.parts[0] == "python":
        below = below.relative_to("opmill")
    return (default_sources().runtime / path.parts[0] / below).is_file()


def kept(case: str) -> dict[str, bytes]:
    """The files of a case that are compared."""
    return {
        str(path): content
        for path, content in sorted(made(case).items())
        if not is_copied(path) and any(path.match(pattern) for pattern in CASES[case])
    }


def expected(case: str) -> dict[str, bytes]:
    root = GOLDEN / case / "expected"
    return {
        path.relative_to(root).as_posix().removesuffix(".txt"): path.read_bytes()
        for path in sorted(root.rglob("*.txt"))
    }


def renew(case: str) -> None:
    root = GOLDEN / case / "expected"
    for path in root.rglob("*.txt"):
        path.unlink()
    for name, content in kept(case).items():
        path = root / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize("case", CASES)
def test_the_files_are_as_expected(case: str):
    if RENEW:
        renew(case)
    assert expected(case), "there is nothing to compare with"
    assert kept(case).keys() == expected(case).keys()
    for name, content in kept(case).items():
        assert content.decode() == expected(case)[name].decode(), f"{case}: {name}"


def test_every_case_is_run():
    assert {path.parent.name for path in GOLDEN.glob("*/specs")} == set(CASES)


@pytest.fixture(scope="module")
def run_case(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Writes a case's files and runs its calls and generated tests in a Python of their own."""

    def run(case: str, spoil: Callable[[Path], None] = lambda out: None) -> str:
        out = tmp_path_factory.mktemp(case)
        write(out, made(case))
        generate_corpus(sources_of(case), out / "tests" / "corpus", Settings())
        spoil(out)
        # A copy, which this project's conftest.py is not above.
        calls = shutil.copy(GOLDEN / case / "calls.py", out)
        paths = [str(calls), *map(str, sorted(out.glob("tests/test_*.py")))]
        # -S leaves out the editable installation, whose opmill would come before this one.
        found = (out / "python", out / "tests", sysconfig.get_path("purelib"))
        result = subprocess.run(
            [sys.executable, "-S", "-m", "pytest", *OPTIONS, *paths],
            env=os.environ
            | {
                "PYTHONPATH": os.pathsep.join(map(str, found)),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return result.stdout + result.stderr if result.returncode else ""

    return run


@pytest.mark.parametrize("case", CASES)
def test_the_package_and_its_tests_run(case: str, run_case: Callable[..., str]):
    assert run_case(case) == ""


def test_a_wrong_kernel_fails_the_generated_tests(run_case: Callable[..., str]):
    """The report names the version, the backend and the case; other cases of the test are run."""

    def spoil(out: Path) -> None:
        kernel = out / "python/opmill/_families/halve/kernel.py"
        right = kernel.read_text()
        kernel.write_text(right.replace("np.right_shift(X, steps", "np.right_shift(X, 1"))
        assert kernel.read_text() != right

    report = run_case("optional", spoil)
    assert re.findall(r"^SUBFAILED\[(.+?)\] \S*::(\S+)", report, re.MULTILINE) == [
        ("Halve-1: twice", "test_examples[Halve-1-numpy]"),
    ]


IN_C = ("kernel_inputs", "rows")


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
def test_the_c_library_passes_its_tests(tmp_path: Path):
    """The C library of two cases passes its own tests: examples and rejects.

    One library has the operators of both, since most of it is the runtime. It is built in plain C:
    kernels of instruction sets are those of this project's families, which are built elsewhere.
    """
    specs = tmp_path / "specs"
    for case in IN_C:
        shutil.copytree(GOLDEN / case / "specs", specs, dirs_exist_ok=True)
    families = [GOLDEN / case / "families" for case in IN_C]
    found = [folder for folder in families if folder.is_dir()]
    sources = Sources(specs, templates(), (*found, *default_sources().families))
    out = tmp_path / "out"
    write(out, make_files(sources, Settings())[1])
    written = {path.name for path in (out / "c/src/operators").glob("*_*.c")}
    for case in IN_C:
        assert {Path(name).name for name in made(case) if name.match("operators/*_*.c")} <= written
    corpus = tmp_path / "corpus"
    generate_corpus(sources, corpus, Settings())
    tests = ("examples", "rejects", "signature")
    programs = [f"test_{name}" for name in tests]
    chosen = f"^({'|'.join(tests)})$"
    options = (f"-DOPMILL_CORPUS={corpus}", "-DOPMILL_STANDARD_C=ON")
    for command in (
        ["cmake", "-S", "c", "-B", "build", *options],
        ["cmake", "--build", "build", "--parallel", "2", "--target", *programs],
        ["ctest", "--test-dir", "build", "--no-tests=error", "--output-on-failure", "-R", chosen],
    ):
        run = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr
