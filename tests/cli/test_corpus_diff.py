"""``opmill corpus diff``: two corpora, written by hand, whose differences are known."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from opmill_gen.cli.main import main

OLD = """corpus 3
operator ai.onnx Tile

version 6 1 0

version 13 2 1
accuracy float 1e-05 1e-06

example "rows"
versions 6 13
input input float [2] 1 2
output output float [4] 1 2 1 2

example "rows"
versions 13
repeated T int8
input input int8 [2] 1 2
output output int8 [4] 1 2 1 2

reject "negative"
versions 13
input input float [1] 1
raises ShapeError "repeats[0] is -1"

end
"""


def corpus(folder: Path, text: str) -> Path:
    (folder / "ai.onnx").mkdir(parents=True)
    index = f"corpus 3\nedition next\nfile ai.onnx/Tile.txt {sha256(text.encode()).hexdigest()}\n"
    (folder / "index.txt").write_text(index, encoding="utf-8")
    (folder / "ai.onnx" / "Tile.txt").write_text(text, encoding="utf-8")
    return folder


def diff(old: Path, new: Path, *more: str, code: int) -> str:
    done = CliRunner().invoke(main, ["corpus", "diff", str(old), str(new), *more])
    assert done.exit_code == code, done.output
    return done.output


def test_the_same_corpus_has_no_difference(tmp_path: Path) -> None:
    old, new = corpus(tmp_path / "old", OLD), corpus(tmp_path / "new", OLD)
    assert diff(old, new, code=0) == "added: 0, removed: 0, changed: 0\n"


@pytest.mark.parametrize(
    ("replaced", "by", "expected"),
    [
        (
            "output output int8 [4] 1 2 1 2",
            "output output int8 [4] 1 2 1 3",
            'changed: ai.onnx Tile-13: example "rows" (T int8)\n'
            "  - output output int8 [4] 1 2 1 2\n  + output output int8 [4] 1 2 1 3\n"
            "added: 0, removed: 0, changed: 1\n",
        ),
        (
            "versions 6 13",
            "versions 13",
            'removed: ai.onnx Tile-6: example "rows"\nadded: 0, removed: 1, changed: 0\n',
        ),
        (
            'reject "negative"',
            'reject "below 0"',
            'added: ai.onnx Tile-13: reject "below 0"\nremoved: ai.onnx Tile-13: reject '
            '"negative"\nadded: 1, removed: 1, changed: 0\n',
        ),
    ],
)
def test_a_difference_is_named(tmp_path: Path, replaced: str, by: str, expected: str) -> None:
    old, new = corpus(tmp_path / "old", OLD), corpus(tmp_path / "new", OLD.replace(replaced, by))
    assert diff(old, new, code=1) == expected


def test_another_tolerance_changes_the_cases_of_its_version(tmp_path: Path) -> None:
    old = corpus(tmp_path / "old", OLD)
    new = corpus(tmp_path / "new", OLD.replace("1e-05", "1e-03"))
    found = json.loads(diff(old, new, "--json", code=1))
    assert (found["ok"], found["changed"], found["added"]) == (False, 3, 0)
    assert {one["new"] for one in found["changes"]} == {"accuracy float 1e-03 1e-06"}


def test_a_folder_without_an_index_is_refused(tmp_path: Path) -> None:
    old = corpus(tmp_path / "old", OLD)
    text = diff(old, tmp_path, code=2)
    assert "index.txt is no index of a corpus, expected a file that begins 'corpus 3'" in text
