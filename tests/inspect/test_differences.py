"""The differences between versions: which words are marked, and how rows are paired."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from checked_tree import checked_tree
from opmill_gen.cli import main as cli
from opmill_gen.inspect.version_diff import (
    Piece,
    Row,
    Status,
    changes_between,
    compare,
    count_text,
    marked,
)
from opmill_gen.spec.operator_version import OperatorVersion, Option
from project_copy import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def specs() -> dict[str, OperatorVersion]:
    return {v.spec.label: v.spec for v in checked_tree().versions}


def both(old: OperatorVersion, new: OperatorVersion) -> dict[str, dict[str, Row]]:
    return {s.title: {row.name: row for row in s.rows} for s in compare(old, new)}


def text(pieces: tuple[Piece, ...] | None, changed: bool | None = None) -> str:
    return "".join(p.text for p in pieces or () if changed in (None, p.changed))


def test_only_the_words_that_differ_are_marked():
    old, new = marked("a count of one for the axis", "a count of two for each axis")
    assert [p.text for p in old if p.changed] == ["one", "the"]
    assert [p.text for p in new if p.changed] == ["two", "each"]
    assert text(old) == "a count of one for the axis"
    assert text(new) == "a count of two for each axis"


def test_words_beside_each_other_are_marked_with_the_blank_between_them():
    old, new = marked("one two three four five six", "one 2 3 four five six")
    assert [p for p in old if p.changed] == [Piece("two three", True)]
    assert [p for p in new if p.changed] == [Piece("2 3", True)]


def test_blanks_at_the_ends_of_changed_words_are_not_marked():
    old, new = marked("the count of an axis", "the count of each other axis, from 0")
    assert [p.text for p in new if p.changed] == ["each other", ", from 0"]
    assert text(new) == "the count of each other axis, from 0"
    old, new = marked("one axis", "one new axis")
    assert (text(old, changed=True), text(new, changed=True)) == ("", "new")
    old, new = marked("one  axis", "one axis")
    assert text(old, changed=True) == "  "


def test_texts_with_little_in_common_differ_as_a_whole():
    old, new = marked("apples and pears", "the number of axes")
    assert (old, new) == ((Piece("apples and pears", True),), (Piece("the number of axes", True),))


def test_no_text_loses_a_character(specs: dict[str, OperatorVersion]):
    first, last = specs["Tile-1"], specs["Tile-13"]
    summary = both(first, last)["Inputs"]["input"]
    assert text(summary.old) == f"T\n{first.inputs[0].description.strip()}"
    assert text(summary.new) == f"T\n{last.inputs[0].description.strip()}"


def test_a_type_that_was_added_is_the_one_marked(specs: dict[str, OperatorVersion]):
    row = both(specs["ConvTranspose-11"], specs["ConvTranspose-22"])["Type constraints"]["T"]
    assert text(row.old, changed=True) == ""
    assert text(row.new, changed=True).strip(" ,") == "tensor(bfloat16)"


def test_parts_come_and_go_by_their_names(specs: dict[str, OperatorVersion]):
    inputs = both(specs["Tile-1"], specs["Tile-6"])["Inputs"]
    assert {name: row.status for name, row in inputs.items()} == {
        "input": Status.CHANGED,
        "tiles": Status.REMOVED,
        "axis": Status.REMOVED,
        "repeats": Status.ADDED,
    }


def test_a_version_beside_itself_has_nothing_to_mark(specs: dict[str, OperatorVersion]):
    for spec in specs.values():
        assert not any(section.differs for section in compare(spec, spec))


def test_the_way_back_has_the_same_rows_the_other_way_round(specs: dict[str, OperatorVersion]):
    opposite = {Status.ADDED: Status.REMOVED, Status.REMOVED: Status.ADDED}
    there = both(specs["Tile-1"], specs["Tile-13"])
    back = both(specs["Tile-13"], specs["Tile-1"])
    for section in ("Inputs", "Outputs", "Type constraints", "Facts"):
        assert {n: opposite.get(r.status, r.status) for n, r in there[section].items()} == {
            n: r.status for n, r in back[section].items()
        }


def test_a_new_paragraph_stands_beside_nothing(specs: dict[str, OperatorVersion]):
    old = specs["Expand-13"]
    new = replace(old, summary=old.summary + "\nQuite another paragraph was written here.\n")
    rows = next(s for s in compare(old, new) if s.title == "Summary").rows
    assert [row.status for row in rows if row.status is not Status.SAME] == [Status.ADDED]
    assert text(rows[-1].new) == "Quite another paragraph was written here."


def test_changes_in_meaning_are_those_after_the_old_version(specs: dict[str, OperatorVersion]):
    tiles = [spec for label, spec in specs.items() if label.startswith("Tile-")]
    assert {v.since_version for v, _ in changes_between(tiles, 1, 13)} == {6, 13}
    assert {v.since_version for v, _ in changes_between(tiles, 6, 13)} == {13}
    assert changes_between(tiles, 13, 13) == []


Call = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    """``opmill diff``, and other commands, with the specs of two operators: all take seconds."""
    folder = tmp_path_factory.mktemp("specs")
    for name in ("Tile", "ConvTranspose"):
        shutil.copytree(ROOT / "specs/ai.onnx" / name, folder / "ai.onnx" / name)
    shutil.copy(ROOT / "specs/ai.onnx/index.yaml", folder / "ai.onnx")

    def run(*arguments: str, command: str = "diff", columns: str = "160") -> tuple[int, str]:
        result = CliRunner().invoke(
            cli.main,
            [command, *arguments, "--specs", str(folder)],
            prog_name="opmill",
            env={"COLUMNS": columns},
        )
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.output

    return run


def test_the_terminal_shows_what_was_added_and_where(call: Call):
    code, shown = call("ConvTranspose", "11", "22")
    assert code == 0
    assert "22: bfloat16 is accepted (shown by: bfloat16)" in shown
    assert "[-11-]" in shown
    assert "{+22+}" in shown
    assert "{+tensor(bfloat16)" in shown
    assert "Inputs" not in shown
    assert "Inputs" in call("ConvTranspose", "11", "22", "--all")[1]


def test_a_version_that_is_not_there_is_named_with_those_that_are(call: Call):
    assert call("Tile", "1", "7")[0] == 2
    assert "there is no version 7 of Tile; there are 1, 6, 13" in call("Tile", "1", "7")[1]
    assert "did you mean 'Tile'?" in call("Tiel", "1", "6")[1]


def test_the_way_back_undoes_the_newest_change_first(call: Call):
    shown = call("Tile", "13", "1")[1]
    assert shown.startswith("Changes in meaning, each undone on the way back to 1\n  13: ")
    assert shown.index("  13: ") < shown.index("  6: ")
    assert call("Tile", "1", "13")[1].startswith("Changes in meaning\n  6: ")


def test_the_published_text_stands_beside_ours(call: Call):
    """Compare with the text that the installed onnx has here too."""
    onnx = pytest.importorskip("onnx")
    said = onnx.defs.get_schema("Tile", 1, "").inputs[1].description
    assert said.startswith("Number of repeated copies")
    code, shown = call("Tile", "1", "--published", command="show", columns="200")
    assert code == 0
    assert f"Tile-1 as onnx {onnx.__version__} describes it" in shown
    assert "{+Number of repeated+} copies" in shown
    assert "{+Number" not in call("Tile", "1", "13", columns="200")[1]
    code, both_texts = call("Tile", "6", "13", "--published", columns="200")
    assert code == 0
    assert "Constrain input and output types to all tensor types." in both_texts


def test_the_published_text_is_shown_of_a_version_without_a_spec(tmp_path: Path):
    onnx = pytest.importorskip("onnx")
    shutil.copytree(ROOT / "specs/ai.onnx/Identity", tmp_path / "ai.onnx/Identity")
    shutil.copy(ROOT / "specs/ai.onnx/index.yaml", tmp_path / "ai.onnx")
    words = ["show", "Tile", "13", "--specs", str(tmp_path)]
    without = CliRunner().invoke(cli.main, words)
    assert without.exit_code == 2
    assert "--published shows ONNX's text" in without.output
    result = CliRunner().invoke(cli.main, [*words, "--published"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    for parameter in onnx.defs.get_schema("Tile", 13, "").inputs:
        assert " ".join(parameter.description.split()) in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "0"),
        (["single"], "1"),
        (["single", "optional"], "between 1 and 2"),
        (["optional", "single", "optional"], "between 2 and 3"),
        (["optional"], "between 0 and 1"),
        (["variadic"], "1 or more"),
        (["single", "variadic"], "2 or more"),
    ],
)
def test_the_number_of_inputs(specs: dict[str, OperatorVersion], options: list[str], expected: str):
    """An optional input before a required one is passed as absent: its place counts."""
    pattern = specs["Tile-13"].inputs[0]
    parameters = [replace(pattern, option=Option(option)) for option in options]
    assert count_text(parameters) == expected
