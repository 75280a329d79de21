"""The C project as others use it: vendored, installed, through pkg-config, and without a build
system, with the programs and commands that its README shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from c_library import FOLDER, ROOT, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
CONSUMER = FOLDER / "tests" / "consumer"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
FLAGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


def run(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    """What a command prints, which must succeed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def block(language: str, heading: str) -> str:
    """The code block of a language below a heading of the README."""
    section = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def labels() -> list[str]:
    """Every version that the library should hold."""
    paths = (FOLDER / "src").glob("*.c")
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return sorted(label for text in texts for label in re.findall(r'\.label = "(.*?)"', text))


def build_consumer(build: Path, *arguments: str) -> str:
    """Configure, build and run the consumer."""
    run("cmake", "-S", CONSUMER, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", *arguments)
    run("cmake", "--build", build, "-j", "2")
    return run(build / "consumer")


@needs_cmake
def test_vendored(tmp_path: Path) -> None:
    copy = tmp_path / "vendored"
    shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("tests"))
    build = tmp_path / "build"
    printed = build_consumer(build, f"-DOPMILL_FOLDER={copy}")
    assert sorted(printed.split()) == labels()
    targets = run("cmake", "--build", build, "--target", "help")
    assert "opmill" in targets
    assert "test_examples" not in targets
    assert not list(build.rglob("opmill-config.cmake"))


@needs_cmake
@pytest.mark.parametrize("shared", ["OFF", "ON"])
def test_installed(tmp_path: Path, shared: str) -> None:
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    run(
        "cmake", "-S", FOLDER, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DOPMILL_TESTS=OFF",
        f"-DBUILD_SHARED_LIBS={shared}", f"-DCMAKE_INSTALL_PREFIX={prefix}",
        "-DCMAKE_INSTALL_LIBDIR=lib",
    )  # fmt: skip
    run("cmake", "--build", build, "--target", "install", "-j", "2")
    shutil.rmtree(build)
    moved = prefix.rename(tmp_path / "moved")
    printed = build_consumer(tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={moved}")
    assert sorted(printed.split()) == labels()
    if shutil.which("pkg-config"):
        static = ["--static"] if shared == "OFF" else []
        flags = run(
            "pkg-config", "--cflags", "--libs", *static, "opmill",
            PKG_CONFIG_PATH=str(moved / "lib" / "pkgconfig"),
        )  # fmt: skip
        program = tmp_path / "program"
        run(compiler() or "", CONSUMER / "main.c", *shlex.split(flags), "-o", program)
        printed = run(program, LD_LIBRARY_PATH=str(moved / "lib"))
        assert sorted(printed.split()) == labels()


def test_program_and_command_of_the_readme(tmp_path: Path) -> None:
    copy = tmp_path / "opmill"
    shutil.copytree(FOLDER, copy)
    (copy / "program.c").write_text(block("c", "A complete program"), encoding="utf-8")
    command = block("sh", "One operator without a build system").strip()
    words = command.replace("cc ", f"{compiler()} {' '.join(FLAGS)} ", 1)
    run("sh", "-c", words, folder=copy)
    assert run(copy / "program") == block("text", "A complete program")


def test_each_version_compiles_by_itself() -> None:
    """The table stays out: a version needs its own source, its family and the runtime."""
    for source in sorted((FOLDER / "src").glob("*_*.c")):
        label = re.findall(r'\.label = "(.*?)"', source.read_text(encoding="utf-8"))
        assert len(label) == 1
        command = [compiler() or "", "-std=c11", "-fsyntax-only", *FLAGS, "-Iinclude", "-Isrc"]
        run(*command, source, folder=FOLDER)


def test_headers_serve_c_plus_plus(tmp_path: Path) -> None:
    cpp = shutil.which("c++")
    if cpp is None:
        pytest.skip("there is no C++ compiler")
    program = tmp_path / "program.cpp"
    program.write_text("#include <opmill/opmill.h>\nint main() { return 0; }\n", encoding="utf-8")
    run(cpp, "-fsyntax-only", *FLAGS, f"-I{FOLDER / 'include'}", program)


def test_version_is_the_distribution_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (FOLDER / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.findall(r"project\(opmill VERSION (\S+)", text) == [project["version"]]
