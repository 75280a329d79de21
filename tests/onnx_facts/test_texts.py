"""The record of published texts: a digest for each release in which a text is another."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from opmill_gen.base.diagnostics import InputError
from opmill_gen.onnx.texts import Texts, read_texts, text_digest, write_texts


def test_a_text_is_recorded_where_it_changes():
    texts = Texts()
    texts.add("1.16.0", {"A-1": "a"})
    texts.add("1.17.0", {"A-1": "a", "B-2": "b"})
    texts.add("1.18.0", {"A-1": "c", "B-2": "b"})
    assert texts.releases == ["1.16.0", "1.17.0", "1.18.0"]
    assert texts.digests == {"A-1": {"1.16.0": "a", "1.18.0": "c"}, "B-2": {"1.17.0": "b"}}
    assert texts.knows("A-1", "a")
    assert texts.knows("A-1", "c")
    assert not texts.knows("A-1", "b")
    assert not texts.knows("C-1", "a")


def test_the_order_of_recording_does_not_matter():
    releases = {
        "1.9.0": {"A-1": "a"},
        "1.16.0": {"A-1": "b"},
        "1.24.0.dev1": {"A-1": "a", "B-1": "x"},
    }
    forwards, backwards = Texts(), Texts()
    for release in releases:
        forwards.add(release, releases[release])
    for release in reversed(releases):
        backwards.add(release, releases[release])
    assert forwards == backwards
    assert forwards.digests["A-1"] == {"1.9.0": "a", "1.16.0": "b", "1.24.0.dev1": "a"}


def test_a_release_is_recorded_again_in_place_of_itself():
    texts = Texts()
    texts.add("1.16.0", {"A-1": "a"})
    texts.add("1.16.0", {"A-1": "b"})
    assert texts.digests == {"A-1": {"1.16.0": "b"}}


def test_a_record_is_read_back(tmp_path: Path):
    (tmp_path / "ai.onnx").mkdir()
    texts = Texts()
    texts.add("1.16.0", {"A-10": "a", "A-9": "b"})
    path = write_texts(tmp_path, "ai.onnx", texts)
    assert read_texts(tmp_path, "ai.onnx") == texts
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line.split(":")[0] for line in lines[2:4]] == ['  "A-9"', '  "A-10"']


def test_no_record_knows_nothing(tmp_path: Path):
    assert read_texts(tmp_path, "ai.onnx") == Texts()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"releases": 1, "texts": {}}', '{"releases": []']
)
def test_what_is_no_record_is_refused(tmp_path: Path, text: str):
    folder = tmp_path / "specs" / "ai.onnx"
    folder.mkdir(parents=True)
    (folder / "texts.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_texts(tmp_path / "specs", "ai.onnx")
    assert str(caught.value.diagnostics[0]) == (
        "specs/ai.onnx/texts.json: is no record of texts; delete it and run 'opmill news --record'"
    )


def schema(doc: str = "Adds.", axis: str = "An axis.") -> SimpleNamespace:
    """A schema with prose in each of its parts."""
    return SimpleNamespace(
        doc=doc,
        inputs=[SimpleNamespace(name="X", description="Data.")],
        outputs=[SimpleNamespace(name="Y", description=None)],
        attributes={"axis": SimpleNamespace(description=axis)},
        type_constraints=[SimpleNamespace(type_param_str="T", description="Numbers.")],
    )


def test_a_digest_is_of_all_prose_and_not_of_its_layout():
    assert text_digest(schema(doc="\n Adds.\n")) == text_digest(schema())
    assert text_digest(schema(doc="Adds it.")) != text_digest(schema())
    assert text_digest(schema(axis="The axis.")) != text_digest(schema())
