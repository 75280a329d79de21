"""The project at the size of all of ai.onnx: what generating, testing and building take there.

A copy of the project in a temporary folder has its own operators again and again, under invented
names, until there are as many versions as ai.onnx publishes. Each row is measured there as a whole
process, beside the budget that it has on two cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.generator import DOMAIN, ROOT, synthetic_specs

VERSIONS = 629
COPIED = ("CMakeLists.txt", "LICENSE", "pyproject.toml")
FOLDERS = ("docs", "families", "generator", "runtime", "templates", "tests/records")
MEGABYTE = 1_000_000
RUNS = 3


@dataclass(frozen=True)
class Row:
    """A figure beside its budget; ``processor`` has the seconds that were computed."""

    what: str
    budget: str
    measured: str
    processor: str = ""


@dataclass(frozen=True)
class Project:
    """A copy of the project with many operators."""

    root: Path

    @property
    def generated(self) -> Path:
        return self.root / "generated"

    def run(self, *command: str | Path, **environment: str) -> tuple[float, float, str]:
        """The seconds that pass, those that are computed, and what a command prints."""
        before, started = _computed(), time.perf_counter()
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.root,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        passed = time.perf_counter() - started
        if done.returncode != 0:
            raise RuntimeError(f"{command} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return passed, _computed() - before, done.stdout

    def generate(self, *options: str) -> tuple[float, float]:
        """A run of ``opmill generate``."""
        paths = {"PYTHONPATH": str(self.root / "generator")}
        # -S leaves out the editable installation, whose generator would come before this one.
        code = f"import sys; sys.path += {sys.path!r}; from opmill_gen.cli.main import main; main()"
        return self.run(sys.executable, "-S", "-c", code, "generate", *options, **paths)[:2]


def _computed() -> float:
    used = os.times()
    return used.children_user + used.children_system


def make(root: Path, versions: int) -> tuple[Project, int]:
    """Copy the project, with at least so many versions; tell how many."""
    ignored = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    (root / "specs").mkdir()
    for path in (*(ROOT / name for name in COPIED), *(ROOT / "specs").glob("*.json")):
        shutil.copy2(path, root / path.relative_to(ROOT))
    return Project(root), synthetic_specs(root / "specs", versions)


def generating(project: Project) -> Iterator[Row]:
    """From nothing, with nothing to do, and after one spec was touched."""
    yield _row("opmill generate, from nothing", "90 s", project.generate())
    nothing = min(project.generate() for _ in range(RUNS))
    yield _row("opmill generate, nothing to do", "1.5 s", nothing)
    spec = sorted((project.root / "specs" / DOMAIN).glob("*/[0-9]*.yaml"))[0]
    spec.write_text(spec.read_text(encoding="utf-8") + "# Touched.\n", encoding="utf-8")
    yield _row("opmill generate, one spec touched", "5 s", project.generate())


def sizes(project: Project) -> Iterator[Row]:
    """The bytes of the output, and of a distribution without its native module."""
    files = [path for path in project.generated.rglob("*") if path.is_file()]
    made = [path for path in files if not path.name.startswith(".opmill")]
    total = sum(path.stat().st_size for path in made)
    yield Row("generated/", "25 MB", f"{total / MEGABYTE:.1f} MB in {len(made)} files")
    for part in ("python", "c", "tests", "docs"):
        own = sum(p.stat().st_size for p in made if p.is_relative_to(project.generated / part))
        yield Row(f"generated/{part}", "", f"{own / MEGABYTE:.1f} MB")


def importing(project: Project) -> Iterator[Row]:
    """``import opmill``, less what its needs take."""
    python = (sys.executable, "-S", "-c")
    path = {"PYTHONPATH": os.pathsep.join([str(project.generated / "python"), *sys.path])}

    def best(code: str) -> tuple[float, float]:
        return min(project.run(*python, code, **path)[:2] for _ in range(RUNS))

    with_needs, whole = best("import numpy, ml_dtypes"), best("import numpy, ml_dtypes, opmill")
    beside = (whole[0] - with_needs[0], whole[1] - with_needs[1])
    yield _row("import opmill, beside its needs", "0.15 s", beside)


def testing(project: Project) -> Iterator[Row]:
    """The corpus, and the generated tests with NumPy alone: collected, and run."""
    corpus = project.generate("--corpus", "--output", "build/corpus")
    yield _row("opmill generate --corpus, from nothing", "", corpus)
    paths = {"PYTHONPATH": os.pathsep.join(map(str, _test_paths(project)))}
    plain = ("-q", "-c", os.devnull, "-p", "no:cacheprovider")
    pytest = (sys.executable, "-S", "-m", "pytest", *plain)
    options = ("--import-mode=importlib", "--rootdir", project.root, project.generated / "tests")
    collected = project.run(*pytest, "--co", *options, **paths)
    items = collected[2].count("::")
    yield _row(f"pytest --co generated/tests ({items} tests)", "", collected[:2])
    ran = project.run(*pytest, *options, **paths)
    yield _row("pytest generated/tests, one process", "", ran[:2])


def _test_paths(project: Project) -> list[str]:
    generated = project.generated
    return [str(generated / "python"), str(generated / "tests"), *filter(None, sys.path)]


def building(project: Project) -> Iterator[Row]:
    """The C library as the native module builds it, by two jobs."""
    build = project.root / "build"
    options = ("-G", "Ninja", "-Wno-dev", "-DCMAKE_BUILD_TYPE=Release", "-DOPMILL_TESTS=OFF")
    project.run("cmake", "-S", project.generated / "c", "-B", build, *options)
    built = project.run("cmake", "--build", build, "-j", "2")
    yield _row("building the C library", "4 min", built[:2])


PARTS: Mapping[str, Callable[[Project], Iterator[Row]]] = {
    "generate": generating,
    "sizes": sizes,
    "import": importing,
    "tests": testing,
    "build": building,
}


def measure(versions: int, parts: tuple[str, ...], tell: Callable[[str], None]) -> list[Row]:
    """Make the copy, and the rows of these parts; ``generate`` is always the first."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        project, made = make(Path(folder), versions)
        tell(f"{made} versions\n")
        tell(f"{'what':52} {'budget':>8} {'passed':>28} {'computed':>10}")
        for part in (one for one in PARTS if one == "generate" or one in parts):
            for row in PARTS[part](project):
                rows.append(row)
                tell(f"{row.what:52} {row.budget:>8} {row.measured:>28} {row.processor:>10}")
    return rows


def _row(what: str, budget: str, seconds: tuple[float, float]) -> Row:
    return Row(what, budget, f"{seconds[0]:.2f} s", f"{seconds[1]:.2f} s")
