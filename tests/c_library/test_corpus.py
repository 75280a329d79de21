"""The corpus of cases: what is written when, and C tests that notice what is wrong in it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from c_library import ROOT, compiler
from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import default_sources
from opmill_gen.pipeline import generate, generate_corpus

needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None or compiler() is None, reason="there is no CMake, or no compiler"
)
CHOSEN = ("Cast", "Softmax", "Tile")
RUNNER = ROOT / "examples" / "corpus"
TESTS = ("examples", "rejects")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the C project of a few operators and their corpus."""
    root = tmp_path_factory.mktemp("few")
    specs = ROOT / "specs"
    for path in (*specs.glob("*.json"), specs / "ai.onnx" / "index.yaml"):
        target = root / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    for name in CHOSEN:
        shutil.copytree(specs / "ai.onnx" / name, root / "specs" / "ai.onnx" / name)
    sources = replace(default_sources(), specs=root / "specs")
    generate(sources, root / "generated", Settings())
    outcome = generate_corpus(sources, root / "corpus", Settings())
    assert not outcome.difference.changed
    again = generate_corpus(sources, root / "corpus", Settings())
    assert not again.difference.is_stale
    return root


def test_the_index_has_the_digest_of_each_file(few: Path) -> None:
    lines = (few / "corpus" / "index.txt").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["corpus 3", "edition next"]
    for line, name in zip(lines[2:], CHOSEN, strict=True):
        word, path, digest = line.split(" ")
        assert (word, path) == ("file", f"ai.onnx/{name}.txt")
        assert hashlib.sha256((few / "corpus" / path).read_bytes()).hexdigest() == digest


def test_a_changed_file_is_written_again(few: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(few / "corpus", corpus)
    path = corpus / "ai.onnx" / "Tile.txt"
    right = path.read_bytes()
    path.write_bytes(
        right.replace(b"output output float [4] 0 1 0 1", b"output output float [4] 9 9 9 9")
    )
    sources = replace(default_sources(), specs=few / "specs")
    generate_corpus(sources, corpus, Settings())
    assert path.read_bytes() == right


def test_every_case_of_a_version_is_counted(few: Path) -> None:
    """The numbers behind ``version`` are those of the cases that name the version."""
    for name in CHOSEN:
        blocks = (few / "corpus" / "ai.onnx" / f"{name}.txt").read_text("utf-8").split("\n\n")
        assert blocks[-1] == "end\n"
        stated, counted = {}, {}
        for block in blocks[1:-1]:
            first, second = [*block.split("\n"), ""][:2]
            if first.startswith("version "):
                _, number, examples, rejects = first.split(" ")
                stated[number] = (int(examples), int(rejects))
                continue
            if first.startswith("erratum "):
                continue
            for number in second.removeprefix("versions ").split(" "):
                own = counted.get(number, (0, 0))
                is_example = first.startswith("example ")
                counted[number] = (own[0] + is_example, own[1] + (not is_example))
        assert stated == counted


@pytest.fixture(scope="module")
def built(few: Path) -> Path:
    """The folder of the programs of C tests."""
    build = few / "build"
    configure = ["cmake", "-S", few / "generated" / "c", "-B", build, "-DOPMILL_TESTS=ON"]
    configure.append("-DOPMILL_STANDARD_C=ON")  # what the cases say is read by the tests alone
    for command in (
        [*configure, f"-DOPMILL_CORPUS={few / 'corpus'}"],
        ["cmake", "--build", build, "-j", "2", "--target", *(f"test_{name}" for name in TESTS)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build / "tests"


def program_run(built: Path, corpus: Path | None, test: str) -> tuple[int, str]:
    """The exit status of a C test, and what it prints."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPMILL_")}
    if corpus is not None:
        environment["OPMILL_CORPUS"] = str(corpus)
    done = subprocess.run(
        [built / f"test_{test}"], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@needs_cmake
@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_it_passes(few: Path, built: Path, test: str) -> None:
    code, printed = program_run(built, few / "corpus", test)
    assert code == 0, printed


@needs_cmake
@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "right", "wrong", "words"),
    [
        ("examples", "[4] 0 1 0 1", "[4] 0 1 0 2", "'blocks not elements'"),
        ("examples", "input tiles float [] 2", "input tiles float [] 3", "infer"),
        ("rejects", "raises ShapeError", "raises OpError", "the code of the error"),
        ("rejects", "expected at least 0", "expected at least 1", "the words of the error"),
        ("examples", "\nend\n", "\n", "the file ends too early"),
        ("examples", "\nversions 1\norigin", "\nversions 2\norigin", "of 75 cases"),
        ("examples", "corpus 3", "corpus 1", "expected a corpus of the format 3"),
        ("examples", "[2,3] 0 1 2 3 4 5", "[2,3] 0 1 2 3 4", "the line ends too early"),
        ("examples", "[2,3] 0 1 2 3 4 5", "[2,3] 0 1 2 3 4 5 6", "more elements than the dims say"),
        ("examples", "[2,3] 0 1 2", "[2,3] 0 one 2", "expected a number"),
    ],
)
def test_a_planted_fault_is_found(
    few: Path, built: Path, tmp_path: Path, test: str, right: str, wrong: str, words: str
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(few / "corpus", corpus)
    path = corpus / "ai.onnx" / "Tile.txt"
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    code, printed = program_run(built, corpus, test)
    assert code != 0
    assert words in printed


@needs_cmake
@pytest.mark.slow
def test_without_a_corpus_the_tests_do_not_pass(built: Path, tmp_path: Path) -> None:
    for corpus, words in ((None, "OPMILL_CORPUS is not set"), (tmp_path, "cannot be read")):
        code, printed = program_run(built, corpus, "examples")
        assert code != 0
        assert words in printed


@pytest.fixture(scope="module")
def runner(few: Path, built: Path) -> Path:
    """The runner of the examples, with the installed library: the README's line."""
    prefix = few / "installed"
    sources = [RUNNER / f"{name}.c" for name in ("reader", "runner", "values", "on_opmill")]
    include, library = f"-I{prefix / 'include'}", f"-L{prefix / 'lib'}"
    options = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", include, library]
    for command in (
        ["cmake", "--install", built.parent, "--prefix", prefix],
        [compiler(), *options, *sources, "-lopmill", "-lm", "-pthread", "-o", few / "runner"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return few / "runner"


def run_runner(runner: Path, corpus: Path, *words: str) -> tuple[int, list[str]]:
    """The exit status of the runner, and the lines that it prints."""
    done = subprocess.run([runner, *words, corpus], capture_output=True, text=True, check=False)
    return done.returncode, (done.stdout + done.stderr).splitlines()


@needs_cmake
@pytest.mark.slow
def test_the_runner_passes_from_outside(few: Path, runner: Path) -> None:
    code, lines = run_runner(runner, few / "corpus")
    counted = (one.rsplit(" ", 1) for one in lines[-1].removeprefix("all: ").split(", "))
    numbers = {word: int(number) for word, number in counted}
    assert code == 0, lines
    assert "wrong" not in numbers
    assert "refused" not in numbers
    assert "invalid computed" not in numbers
    assert numbers["right"] > 300
    text = "".join(path.read_text("utf-8") for path in (few / "corpus" / "ai.onnx").iterdir())
    drawn = re.findall(r"^reject .*\nversions (.*)\norigin drawn$", text, re.MULTILINE)
    without_message = sum(len(versions.split(" ")) for versions in drawn)
    other = numbers["invalid refused"] - numbers["same message"]
    assert 20 < other <= without_message, "the runner leaves out numbers that C does not hold"
    assert numbers["same message"] > 100


@needs_cmake
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "right", "wrong", "words", "code"),
    [
        (
            "Tile",
            "[2,4] 0 1 0 1 2 3 2 3",
            "[2,4] 0 2 0 1 2 3 2 3",
            "element 1 is 1 (0x3f800000)",
            1,
        ),
        (
            "Tile",
            "output output float [2,4] 0 1 0 1",
            "output output float [4,2] 0 1 0 1",
            "another type or shape",
            1,
        ),
        (
            "Tile",
            "output output float [2,4] 0 1 0",
            "output output int32 [2,4] 0 1 0",
            "another type",
            1,
        ),
        ("Softmax", " 0.0171478", " 0.0171578", "wrong: Softmax-", 1),
        ("Tile", "corpus 3", "corpus 1", "expected 'corpus 3'", 2),
        ("Tile", "\nend\n", "\n", "the file ends too early", 2),
        ("Tile", "[2,3] 0 1 2 3 4 5", "[2,3] 0 1 2 3 4", "the line ends too early", 2),
        ("Tile", "[2,3] 0 1 2 3 4 5", "[2,3] 0 1 2 3 4 5 6", "more elements than the dims say", 2),
        ("Tile", "[2,3] 0 1 2", "[2,3] 0 one 2", "expected a number", 2),
        ("Tile", "[2,3] 0 1 2", "[2,3000000000000] 0 1 2", "the dims are too large", 2),
    ],
)
def test_the_runner_finds_a_planted_fault(
    few: Path,
    runner: Path,
    tmp_path: Path,
    name: str,
    right: str,
    wrong: str,
    words: str,
    code: int,
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(few / "corpus", corpus)
    path = corpus / "ai.onnx" / f"{name}.txt"
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    found, lines = run_runner(runner, corpus)
    assert found == code, lines
    assert any(words in line for line in lines), lines


@needs_cmake
@pytest.mark.slow
def test_a_wider_tolerance_accepts_what_a_narrow_one_does_not(
    few: Path, runner: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(few / "corpus", corpus)
    path = corpus / "ai.onnx" / "Softmax.txt"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(" 0.0171478", " 0.0171488"), encoding="utf-8")
    assert run_runner(runner, corpus)[0] == 1
    assert run_runner(runner, corpus, "-rtol", "1e-3")[0] == 0


@needs_cmake
@pytest.mark.slow
def test_another_result_is_open_only_in_versions_that_an_erratum_leaves_open(
    few: Path, runner: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(few / "corpus", corpus)
    path = corpus / "ai.onnx" / "Softmax.txt"
    head, *blocks = path.read_text(encoding="utf-8").split("\n\n")
    (position,) = [
        k for k, one in enumerate(blocks)
        if one.startswith("example") and '\nrests_on "negative axis"' in one
    ]  # fmt: skip
    block = blocks[position]
    assert block.count("output output float") == 1
    before, _, elements = block.rpartition("] ")
    blocks[position] = f"{before}] 9{elements[1:]}"
    path.write_text("\n\n".join([head, *blocks]), encoding="utf-8")
    code, lines = run_runner(runner, corpus)
    assert code == 1, lines
    assert [line for line in lines if line.startswith("Softmax-1:") and "open 1" in line]
    assert [line for line in lines if line.startswith("wrong: Softmax-11: negative axis")]
