"""``opmill corpus verify``, ``record`` and ``archive``: an edition, and that it never changes."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from opmill_gen.cli.main import main

TEXT = "corpus 3\noperator ai.onnx {}\n\nversion 1 0 0\n\nend\n"


def corpus(folder: Path, **texts: str) -> Path:
    """Write a corpus, with a digest for each file."""
    lines = ["corpus 3", "edition next"]
    (folder / "ai.onnx").mkdir(parents=True)
    for name, text in texts.items():
        (folder / "ai.onnx" / f"{name}.txt").write_text(text, encoding="utf-8")
        lines.append(f"file ai.onnx/{name}.txt {hashlib.sha256(text.encode()).hexdigest()}")
    (folder / "index.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder


def call(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["corpus", *map(str, words)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return corpus(tmp_path / "first", Abs=TEXT.format("Abs"), Tile=TEXT.format("Tile"))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """The first one with a case less and an operator more."""
    changed = TEXT.format("Tile").replace("version 1", "version 6")
    texts = {"Abs": TEXT.format("Abs"), "Add": TEXT.format("Add"), "Tile": changed}
    return corpus(tmp_path / "second", **texts)


def test_a_corpus_without_faults_is_verified(first: Path) -> None:
    assert call("verify", first) == f"{first}: files: 2, each with its digest\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"corpus 3\n", "does not have the digest of the index"), (None, "cannot be read")],
)
def test_a_damaged_file_is_named(first: Path, content: bytes | None, words: str) -> None:
    path = first / "ai.onnx" / "Tile.txt"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    assert f"ai.onnx/Tile.txt {words}" in call("verify", first, code=2)


@pytest.mark.parametrize("line", ["file ../../x.txt 0", "file ai.onnx/Tile.txt 12"])
def test_an_index_names_no_other_files(first: Path, line: str) -> None:
    (first / "index.txt").write_text(f"corpus 3\nedition next\n{line}\n", encoding="utf-8")
    assert f"'{line}' is no line of a corpus" in call("verify", first, code=2)


def test_the_archive_is_the_same_each_time_and_has_the_digest_of_every_file(
    first: Path, tmp_path: Path
) -> None:
    again = corpus(tmp_path / "again", Tile=TEXT.format("Tile"), Abs=TEXT.format("Abs"))
    paths = tmp_path / "a.tar.gz", tmp_path / "b.tar.gz"
    for folder, path in zip((first, again), paths, strict=True):
        call("archive", folder, "--edition", "2026.1", "--output", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with tarfile.open(fileobj=io.BytesIO(paths[0].read_bytes())) as packed:
        files = {e.name: packed.extractfile(e).read() for e in packed}
    root = "opmill-corpus-2026.1/"
    sums = files.pop(f"{root}SHA256SUMS").decode().splitlines()
    expected = (
        f"{hashlib.sha256(text).hexdigest()}  {name.removeprefix(root)}"
        for name, text in sorted(files.items())
    )
    assert sums == list(expected)
    assert files[f"{root}index.txt"].decode().split("\n")[1] == "edition 2026.1"
    assert files[f"{root}ai.onnx/Tile.txt"].decode() == TEXT.format("Tile")
    assert b"| `accuracy TYPE RTOL ATOL` |" in files[f"{root}FORMAT.md"]


def test_an_archive_is_compared_with_a_folder(first: Path, second: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.tar.gz"
    call("archive", first, "--edition", "2026.1", "--output", packed)
    assert call("diff", packed, first) == "added: 0, removed: 0, changed: 0\n"
    assert "no archive of a corpus" in call("diff", first / "index.txt", second, code=2)


def test_an_edition_in_force_must_not_change(first: Path, second: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    assert "edition: next, the first one" in call("verify", first, "--record", record)
    assert "edition 2026.1, digests: 2" in call("record", first, "2026.1", "--record", record)
    assert "edition: 2026.1" in call("verify", first, "--record", record)
    text = call("verify", second, "--record", record, code=1)
    assert "added: ai.onnx/Add.txt\nchanged: ai.onnx/Tile.txt\n" in text
    assert "is not edition 2026.1, which is published and never changes" in text
    assert f"'opmill corpus record {second} next --record {record}'" in text


def test_the_next_edition_may_change_until_it_is_recorded(
    first: Path, second: Path, tmp_path: Path
) -> None:
    record = tmp_path / "record.txt"
    call("record", first, "2026.1", "--record", record)
    call("record", second, "next", "--record", record)
    assert record.read_text("utf-8").startswith("edition next after 2026.1\n")
    assert "files that differ from 2026.1: 2" in call("verify", second, "--record", record)
    before = record.read_bytes()
    for name in ("2026.1", "2025.9"):
        text = call("record", second, name, "--record", record, code=2)
        assert f"the edition is {name}, expected one after 2026.1, which is published" in text
    assert "expected a year and a number" in call("record", first, "v1", "--record", record, code=2)
    assert record.read_bytes() == before
    call("record", second, "2026.2", "--record", record)
    assert "edition: 2026.2" in call("verify", second, "--record", record)


def test_a_file_that_is_no_record_is_refused(first: Path, tmp_path: Path) -> None:
    record = tmp_path / "record.txt"
    record.write_text("edition soon\n", encoding="utf-8")
    assert "is no record of an edition" in call("verify", first, "--record", record, code=2)


def test_the_committed_record_is_one() -> None:
    record = Path(__file__).parents[2] / "tests" / "records" / "corpus_edition.txt"
    assert record.read_text("utf-8").startswith("edition ")
