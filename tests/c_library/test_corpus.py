"""The corpus of cases: the same bytes every time, and C tests that notice what is wrong in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from c_library import ROOT, compiler
from opmill_gen.emit.settings import Settings
from opmill_gen.load.load import default_sources
from opmill_gen.pipeline import generate, generate_corpus

needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None or compiler() is None, reason="there is no CMake, or no compiler"
)
FEW = ("Cast", "Tile")
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
    for name in FEW:
        shutil.copytree(specs / "ai.onnx" / name, root / "specs" / "ai.onnx" / name)
    sources = replace(default_sources(), specs=root / "specs")
    generate(sources, root / "generated", Settings())
    outcome = generate_corpus(sources, root / "corpus", Settings())
    assert not outcome.difference.changed
    again = generate_corpus(sources, root / "corpus", Settings())
    assert not again.difference.is_stale
    anew = generate_corpus(sources, root / "anew", Settings())
    assert len(anew.difference.missing) == anew.files
    return root


def test_it_is_the_same_every_time(few: Path) -> None:
    for path in sorted((few / "corpus").rglob("*.txt")):
        assert path.read_bytes() == (few / "anew" / path.relative_to(few / "corpus")).read_bytes()


def test_the_index_has_the_digest_of_each_file(few: Path) -> None:
    lines = (few / "corpus" / "index.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "corpus 1"
    for line, name in zip(lines[1:], FEW, strict=True):
        word, path, digest, _ = line.split(" ")
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
    for name in FEW:
        blocks = (few / "corpus" / "ai.onnx" / f"{name}.txt").read_text("utf-8").split("\n\n")
        assert blocks[-1] == "end\n"
        stated, counted = {}, {}
        for block in blocks[1:-1]:
            first, second = [*block.split("\n"), ""][:2]
            if first.startswith("version "):
                _, number, examples, rejects = first.split(" ")
                stated[number] = (int(examples), int(rejects))
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
        ("examples", "\nversions 1\n", "\nversions 2\n", "of 59 cases"),
        ("examples", "corpus 1", "corpus 2", "expected a corpus of the format 1"),
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
