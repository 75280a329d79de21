"""The C project as others use it: vendored, installed, through pkg-config, and without a build
system, with the programs and commands that its README shows."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from c_library import BUILD, FOLDER, ROOT, WARNINGS, compiler, objects
from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import default_sources
from opmill_gen.pipeline import generate

pytestmark = [
    pytest.mark.skipif(compiler() is None, reason="there is no C compiler"),
    pytest.mark.slow,
]
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no CMake")
CONSUMER = FOLDER / "tests" / "consumer"
CHOSEN = ("Relu", "Tile")
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def run(*command: str | Path, folder: Path | None = None, **environment: str) -> str:
    """Return the output of a command, which must succeed."""
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


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C project of a few operators, which is built and installed as that of many is."""
    root = tmp_path_factory.mktemp("project")
    specs = ROOT / "specs"
    for path in (*specs.glob("*.json"), specs / "ai.onnx" / "index.yaml"):
        target = root / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for name in CHOSEN:
        shutil.copytree(specs / "ai.onnx" / name, root / "specs" / "ai.onnx" / name)
    sources = replace(default_sources(), specs=root / "specs")
    generate(sources, root / "generated", Settings())
    return root / "generated" / "c"


def labels(folder: Path) -> list[str]:
    """Every version that the library in a folder should hold."""
    paths = (folder / "src" / "operators").glob("*.c")
    texts = [path.read_text(encoding="utf-8") for path in paths]
    found = [re.findall(r'OPMILL_VERSION\(".*?", "(.*?)", (\d+)\)', text) for text in texts]
    return sorted(f"{operator}-{number}" for pairs in found for operator, number in pairs)


def build_consumer(build: Path, *arguments: str) -> str:
    """Configure, build and run the consumer."""
    run("cmake", "-S", CONSUMER, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", *arguments)
    run("cmake", "--build", build, "-j", "2")
    return run(build / "consumer")


@needs_cmake
def test_vendored(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "vendored"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("tests"))
    build = tmp_path / "build"
    # Without the kernels of instruction sets: other builds have them, as that of the package.
    printed = build_consumer(build, f"-DOPMILL_FOLDER={copy}", "-DOPMILL_STANDARD_C=ON")
    assert sorted(printed.split()) == labels(project)
    assert {label.partition("-")[0] for label in labels(project)} == set(CHOSEN)
    targets = run("cmake", "--build", build, "--target", "help")
    assert "opmill" in targets
    assert "test_examples" not in targets
    assert not list(build.rglob("opmill-config.cmake"))


@needs_cmake
@pytest.mark.parametrize("shared", ["OFF", "ON"])
def test_installed(project: Path, tmp_path: Path, shared: str) -> None:
    build, prefix = tmp_path / "build", tmp_path / "prefix"
    run(
        "cmake", "-S", project, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DOPMILL_TESTS=OFF",
        "-DOPMILL_STANDARD_C=ON",
        f"-DBUILD_SHARED_LIBS={shared}", f"-DCMAKE_INSTALL_PREFIX={prefix}",
        "-DCMAKE_INSTALL_LIBDIR=lib",
    )  # fmt: skip
    run("cmake", "--build", build, "--target", "install", "-j", "2")
    shutil.rmtree(build)
    moved = prefix.rename(tmp_path / "moved")
    printed = build_consumer(tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={moved}")
    assert sorted(printed.split()) == labels(project)
    if shutil.which("pkg-config"):
        static = ["--static"] if shared == "OFF" else []
        flags = run(
            "pkg-config", "--cflags", "--libs", *static, "opmill",
            PKG_CONFIG_PATH=str(moved / "lib" / "pkgconfig"),
        )  # fmt: skip
        program = tmp_path / "program"
        run(compiler() or "", CONSUMER / "main.c", *shlex.split(flags), "-o", program)
        printed = run(program, LD_LIBRARY_PATH=str(moved / "lib"))
        assert sorted(printed.split()) == labels(project)


def test_program_and_command_of_the_readme(tmp_path: Path) -> None:
    copy = tmp_path / "opmill"
    shutil.copytree(FOLDER, copy)
    heading, name = "A complete program", "tile_13"
    (copy / "program.c").write_text(block("c", heading), encoding="utf-8")
    # Without the kernels for wide vectors, on which most of the time would be spent.
    compile = f"{compiler()} {' '.join(WARNINGS)} -DOPMILL_STANDARD_C"
    run("sh", "-c", alone(name, compile), folder=copy)
    assert run(copy / "program") == block("text", heading)


def alone(name: str, compile: str) -> str:
    """The commands of the README that compile some operators alone, for another version."""
    commands = re.sub(r"\(all\|\w+\)", f"(all|{name})", block("sh", "Some operators alone"))
    assert f"(all|{name})" in commands
    # Not optimised: most of the time would be spent on kernels for wide vectors.
    return commands.replace("\ncc ", f"\nset -e; {compile} ").replace("-O2", "-O0")


PROGRAMS = {
    "relu_14": """\
#include <opmill/operators/relu.h>
#include <stdio.h>

int main(void) {
    float values[] = {-1, 2, -0.5f, 3}, results[4];
    const int64_t dims[] = {4};
    const opmill_tensor X = {values, dims, 1, OPMILL_FLOAT};
    opmill_tensor Y = {results, dims, 1, OPMILL_FLOAT};
    opmill_context context = OPMILL_CONTEXT_INIT;
    if (opmill_relu_14(&X, &Y, &context) != OPMILL_OK) {
        puts(context.error.message);
        return 1;
    }
    printf("%g %g %g %g\\n", (double)results[0], (double)results[1], (double)results[2],
           (double)results[3]);
    return 0;
}
""",
    "split_18": """\
#include <opmill/operators/split.h>
#include <stdio.h>

int main(void) {
    float values[] = {1, 2, 3, 4, 5}, first[3], second[2];
    const int64_t dims[] = {5}, three[] = {3}, two[] = {2};
    const opmill_tensor input = {values, dims, 1, OPMILL_FLOAT};
    opmill_tensor left = {first, three, 1, OPMILL_FLOAT}, right = {second, two, 1, OPMILL_FLOAT};
    opmill_tensor *const outputs[] = {&left, &right};
    opmill_split_18_attributes attributes = OPMILL_SPLIT_18_ATTRIBUTES_INIT;
    attributes.num_outputs = (opmill_int){2, 1};
    opmill_context context = OPMILL_CONTEXT_INIT;
    if (opmill_split_18(&input, NULL, &attributes, outputs, 2, &context) != OPMILL_OK) {
        puts(context.error.message);
        return 1;
    }
    printf("%g %g %g, %g %g\\n", (double)first[0], (double)first[1], (double)first[2],
           (double)second[0], (double)second[1]);
    return 0;
}
""",
}
FOR_INLINE_FUNCTIONS = {"src/runtime/call/shapes.c", "src/runtime/math/pieces.c"}
FAMILY_OF = {"relu_14": "elementwise", "split_18": "split", "conv_transpose_22": "conv_transpose"}
PRINTED = {"relu_14": "0 2 0 3\n", "split_18": "1 2 3, 4 5\n"}
SECOND = "Attributes and a workspace"
"""The heading of the README's second program."""
PROGRAMS["conv_transpose_22"], PRINTED["conv_transpose_22"] = (
    block("c", SECOND),
    block("text", SECOND),
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_files_that_a_version_needs_are_all_that_it_needs(tmp_path: Path, name: str) -> None:
    """Versions whose family is not called like the operator, or begins like another family.

    The headers that a list names are all that its files include, as another test shows; so objects
    that are compiled in the whole library serve here.
    """
    copy = tmp_path / "opmill"
    shutil.copytree(FOLDER, copy)
    run("sh", "-c", alone(name, ":"), folder=copy)
    copied = {p.relative_to(copy / "mine").as_posix() for p in (copy / "mine").rglob("*.[ch]")}
    (tmp_path / "program.c").write_text(PROGRAMS[name], encoding="utf-8")
    lists = file_lists(FOLDER)
    needed = lists["all"] | lists[name]
    assert copied == needed
    compiled = objects()
    run(
        compiler() or "", "-std=c11", *WARNINGS, f"-I{FOLDER / 'include'}", tmp_path / "program.c",
        *(compiled[FOLDER / path] for path in sorted(needed) if path.endswith(".c")),
        "-o", tmp_path / "program", "-lm",
    )  # fmt: skip
    assert run(tmp_path / "program") == PRINTED[name]
    assert {path.split("/")[2] for path in copied if path.startswith("src/families/")} == {
        FAMILY_OF[name]
    }


def file_lists(folder: Path) -> dict[str, set[str]]:
    """Return the lists of ``files.txt``: version -> paths."""
    lines = (folder / "files.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, set[str]] = {}
    for line in lines:
        names, _, paths = line.partition(": ")
        for name in names.split() if not line.startswith("#") else ():
            found.setdefault(name, set()).update(paths.split())
    return found


@cache
def included(folder: Path, path: str) -> set[str]:
    """The headers of the library that a file includes, from the folder."""
    text = (folder / path).read_text(encoding="utf-8")
    places = ((folder / path).parent, folder / "src", folder / "include")
    found: set[str] = set()
    for name in re.findall(r'^ *# *include "(.+?)"', text, re.MULTILINE):
        headers = [place / name for place in places if (place / name).is_file()]
        assert headers, f"{path} includes {name}, which is not there"
        found.add(headers[0].relative_to(folder).as_posix())
    return found


def test_the_lists_hold_every_file_but_the_tables_and_what_files_include() -> None:
    """And but the compact kernels, which only compiled networks call."""
    lists = file_lists(FOLDER)
    sources = {
        path.relative_to(FOLDER).as_posix()
        for folder in ("include", "src")
        for path in (FOLDER / folder).rglob("*.[ch]")
    }
    tables = {"include/opmill/opmill.h", "include/opmill/operators.h", "src/operators/table.c"}
    compact = {path for path in sources if "/compact" in path}
    assert set().union(*lists.values()) == sources - tables - compact
    versions = lists.keys() - {"all"}
    assert len(versions) == len(labels(FOLDER))
    for name in versions:
        needed = lists["all"] | lists[name]
        assert f"src/operators/{name}.c" in needed
        for path in needed:
            assert included(FOLDER, path) <= needed, path


def symbols() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The symbols that each compiled source defines, and those that it needs."""
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("there is no nm")
    sources = {
        object.name: source.relative_to(FOLDER).as_posix() for source, object in objects().items()
    }
    defined: dict[str, set[str]] = {source: set() for source in sources.values()}
    undefined: dict[str, set[str]] = {source: set() for source in sources.values()}
    for line in run(nm, "-A", *sources, folder=BUILD).splitlines():
        path, _, rest = line.partition(":")
        *_, kind, symbol = rest.split()
        if kind.isupper():
            (undefined if kind == "U" else defined)[sources[path]].add(symbol)
    assert len(set().union(*defined.values())) > len(labels(FOLDER))
    return defined, undefined


def public_functions() -> set[str]:
    """The functions of the headers that every version comes with."""
    texts = [
        (FOLDER / "include" / "opmill" / f"{name}.h").read_text(encoding="utf-8")
        for name in ("isa", "operator")
    ]
    return {
        name for text in texts for name in re.findall(r"^[a-z][^(]*?(\w+)\(", text, re.MULTILINE)
    }


def test_lists_name_the_sources_that_symbols_need_and_no_others() -> None:
    """Sources of other processors, which compile to nothing here, may be in a list, and what inline
    functions call that the version does not use."""
    defined, undefined = symbols()
    definer = {symbol: source for source, names in defined.items() for symbol in names}
    calls = [definer[name] for name in public_functions()]
    lists = file_lists(FOLDER)
    for name in lists.keys() - {"all"}:
        needed = {path for path in lists["all"] | lists[name] if path.endswith(".c")}
        found: set[str] = set()
        pending = [f"src/operators/{name}.c", *calls]
        while pending:
            source = pending.pop()
            if source not in found:
                found.add(source)
                pending += [definer[symbol] for symbol in undefined[source] & definer.keys()]
        assert found <= needed, name
        extra = {path for path in needed - found if defined[path]}
        assert extra <= FOR_INLINE_FUNCTIONS, name


def test_headers_serve_c_plus_plus(tmp_path: Path) -> None:
    cpp = shutil.which("c++")
    if cpp is None:
        pytest.skip("there is no C++ compiler")
    program = tmp_path / "program.cpp"
    program.write_text("#include <opmill/opmill.h>\nint main() { return 0; }\n", encoding="utf-8")
    run(cpp, "-fsyntax-only", *WARNINGS, f"-I{FOLDER / 'include'}", program)


def test_version_is_the_distribution_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (FOLDER / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.findall(r"project\(opmill VERSION (\S+)", text) == [project["version"]]
