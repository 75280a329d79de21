"""A copy of the tree in which mutants live: its package, its C build, and tests that run in forks.

Whatever does not change from mutant to mutant is imported once, here; each run of pytest is a fork,
so that it costs what its tests cost.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import FrameType

MEMORY = 12 << 30
"""The address space of a run, in bytes: some mutants ask for more than there is."""
SECONDS = 200
"""The processor time of a run: some mutants never end."""
WALL = 6 * SECONDS
LIBRARY = "native/library"
"""Where the build of the distribution has that of the C library."""
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all"
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=line", "-W", "ignore"]
PRELOADED = (
    "numpy", "ml_dtypes", "pytest", "hypothesis", "onnx", "onnxruntime", "onnx.reference", "yaml",
    "opmill_gen.pipeline", "rules_reference",
)  # fmt: skip
"""What no mutant changes. The checkers are not here: they import the package."""


class Scratch:
    """The copy.

    Args:
        root: the tree that is copied.
        folder: where the copy goes; what is there already is removed.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.tree = folder / "tree"
        self.build = folder / "build"
        self.sanitized = folder / "sanitized"
        self.corpus = self.tree / "build" / "corpus"  # where the tests look for it
        self.log = folder / "log.txt"
        self.package = self.tree / "generated" / "python" / "opmill"
        self.native = self.package / "_native.abi3.so"
        self.pristine = folder / "_native.pristine.so"
        self.passing: set[tuple[str, ...]] = set()

    def make(self) -> None:
        """Copy the tree, write the cases of the C tests, build them and the native module.

        Without a mutant nothing may fail: else every mutant would count as refused or noticed.
        """
        for folder in (
            self.tree,
            self.build,
            self.sanitized,
        ):  # a build left over may hold an older mutant
            shutil.rmtree(folder, ignore_errors=True)
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=self.root, check=True, capture_output=True).stdout
        for name in names.decode().split("\0"):
            source = self.root / name
            if name and source.is_file():
                target = self.tree / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        self.preload()
        if not self.generated():
            raise SystemExit(f"the generator refuses the tree without a mutant; see {self.log}")
        if self.fork(self._write_corpus) != 0:
            raise SystemExit(f"the cases of the C tests cannot be written; see {self.log}")
        configure = [
            "cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja",
            "-DSKBUILD_STATE=editable", "-DOPMILL_NATIVE=ON", "-DOPMILL_TESTS=ON",
            f"-DOPMILL_CORPUS={self.corpus}", "-DCMAKE_BUILD_TYPE=", "-DCMAKE_C_FLAGS=-O1",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]  # fmt: skip
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        if not self.compiled():
            raise SystemExit(f"the tree does not build; see {self.log}")
        if not self.c_tests_pass():
            raise SystemExit(f"the C tests fail without a mutant; see {self.log}")
        shutil.copy2(self.native, self.pristine)

    # One mutant

    def read(self, path: str) -> str:
        """A file as it is now."""
        return (self.tree / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Make a file what the mutant has, or what it was."""
        (self.tree / path).write_text(text, encoding="utf-8")

    def generated(self) -> bool:
        """True if the generator takes the tree; ``generated/`` is what it makes of it then."""
        return self.fork(self._generate) == 0

    def compiled(self) -> bool:
        """Return whether the C library, its tests and the native module build."""
        targets = [f"{LIBRARY}/tests/all", "_native"]
        done = self._run(["ninja", "-C", str(self.build), *targets])
        if done:
            shutil.copy2(next((self.build / "native").glob("_native*.so")), self.native)
        return done

    def restore_native(self) -> None:
        """The native module of the tree without a mutant."""
        shutil.copy2(self.pristine, self.native)

    def c_tests_pass(self) -> bool:
        """Return whether the C library's own tests pass."""
        return self._run(c_tests(self.build / LIBRARY / "tests"))

    def sanitized_c_tests_pass(self) -> bool:
        """True if they pass where every access and every sum is checked. Building takes minutes."""
        if not self.sanitized.exists():
            configure = [
                "cmake", "-S", str(self.tree / "generated" / "c"), "-B", str(self.sanitized),
                "-G", "Ninja", "-DOPMILL_TESTS=ON", f"-DOPMILL_CORPUS={self.corpus}",
                "-DCMAKE_BUILD_TYPE=", f"-DCMAKE_C_FLAGS=-O1 {SANITIZERS}",
            ]  # fmt: skip
            subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        if not self._run(["ninja", "-C", str(self.sanitized), "tests/all"], limited=False):
            raise SystemExit(f"the tree does not build with {SANITIZERS}; see {self.log}")
        return self._run(c_tests(self.sanitized / "tests"), limited=False)

    def tests_pass(self, arguments: list[str]) -> bool:
        """Return whether pytest has nothing to complain about."""
        return self.fork(lambda: self._pytest(arguments)) == 0

    def assert_sanitized_baseline(self) -> None:
        """Without a mutant the sanitizers find nothing."""
        if (SANITIZERS,) not in self.passing:
            if not self.sanitized_c_tests_pass():
                raise SystemExit(
                    f"the C tests fail without a mutant under {SANITIZERS}: {self.log}"
                )
            self.passing.add((SANITIZERS,))

    def assert_baseline(self, arguments: list[str]) -> None:
        """Without a mutant these tests pass: what they notice is the mutant."""
        if tuple(arguments) not in self.passing:
            if not self.tests_pass(arguments):
                raise SystemExit(f"pytest {' '.join(arguments)} fails without a mutant: {self.log}")
            self.passing.add(tuple(arguments))

    # How

    def _run(self, command: list[str], limited: bool = True) -> bool:
        """True if a command succeeds. AddressSanitizer needs more addresses than the limit has."""
        before = limit if limited else None
        with self.log.open("ab") as log:
            try:
                done = subprocess.run(
                    command, stdout=log, stderr=log, timeout=WALL, preexec_fn=before, check=False
                )
            except subprocess.TimeoutExpired:
                return False
        return done.returncode == 0

    def fork(self, work: object) -> int:
        """The exit status of a function that returns one, in a process of its own."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                limit()
                signal.signal(signal.SIGALRM, give_up)
                signal.alarm(WALL)
                log = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
                os.dup2(log, 1)
                os.dup2(log, 2)
                os.chdir(self.tree)
                status = int(work())  # type: ignore[operator]
            os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _generate(self) -> int:
        from opmill_gen.emit.settings import Settings
        from opmill_gen.load.sources import default_sources
        from opmill_gen.pipeline import generate

        generate(default_sources(), self.tree / "generated", Settings())
        return 0

    def _write_corpus(self) -> int:
        from opmill_gen.emit.settings import Settings
        from opmill_gen.load.sources import default_sources
        from opmill_gen.pipeline import generate_corpus

        generate_corpus(default_sources(), self.corpus, Settings())
        return 0

    def _pytest(self, arguments: list[str]) -> int:
        import pytest

        status = pytest.main([*OPTIONS, *arguments])
        # A stage may have no test of a version: then nothing was noticed.
        return 0 if status == pytest.ExitCode.NO_TESTS_COLLECTED else int(status)

    def preload(self) -> None:
        """Import what no mutant changes. The copy's own modules come from the copy."""
        paths = [self.tree / "generated" / "python", self.tree / "generator"]
        tests = self.tree / "tests"
        paths += [self.tree / "generated" / "tests", tests, tests / "support"]
        sys.path[:0] = map(str, paths)
        sys.dont_write_bytecode = True
        for name in PRELOADED:
            __import__(name)
        if "opmill" in sys.modules:
            raise SystemExit("the package under test is imported already")


def c_tests(build: Path) -> list[str]:
    """The command that runs the tests that are built in a folder."""
    return ["ctest", "--test-dir", str(build), "--stop-on-failure", "--output-on-failure"]


def limit() -> None:
    """Bound the time and memory of this process."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def give_up(number: int, frame: FrameType | None) -> None:
    """End a run that waits."""
    os._exit(1)


def site_packages() -> str:
    """The folder of the packages that the tests need."""
    return sysconfig.get_path("purelib")
