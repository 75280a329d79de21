"""Initial contents of the manual's panels: examples of the corpus, for the page's script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checked_tree import checked_tree
from opmill_gen.base.diagnostics import InputError
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backends import C
from opmill_gen.emit.corpus.examples import read_examples
from opmill_gen.emit.docs.site.try_panel import try_panel

VERSIONS = {version.spec.label: version for version in checked_tree().versions}
EXAMPLES = read_examples(Path(__file__).parents[2] / "build" / "corpus")


def panel_of(version: CheckedVersion) -> dict[str, str] | None:
    return try_panel(version, EXAMPLES[f"{version.spec.domain}/{version.spec.operator}"])


def panel_data(version: CheckedVersion) -> Any:
    panel = panel_of(version)
    assert panel is not None
    return json.loads(panel["data"])


def test_a_call_is_an_example_of_the_corpus_without_its_results():
    lines = (
        'example "precomputed"',
        "input input float [2,2] 0 1 2 3",
        "input repeats int64 [2] 2 2",
        "outputs 1",
    )
    assert panel_data(VERSIONS["Tile-13"])["examples"][0] == "\n".join(lines)


def test_defaults_are_text():
    data = panel_data(VERSIONS["MaxPool-12"])
    assert data["defaults"] == {"auto_pad": "NOTSET", "ceil_mode": "0", "storage_order": "0"}


def block(*lines: str, versions: str = "6 13", origin: str = "hand", name: str = "one") -> str:
    head = (f'example "{name}"', f"versions {versions}", f"origin {origin}")
    return "\n".join([*head, *lines, "output output float [1] 1"])


def names(*blocks: str) -> list[str]:
    panel = try_panel(VERSIONS["Tile-13"], blocks)
    calls = [] if panel is None else json.loads(panel["data"])["examples"]
    return [json.loads(call.split("\n")[0].partition(" ")[2]) for call in calls]


@pytest.mark.parametrize(
    "line",
    [
        "input input float [64] " + " ".join(["1"] * 64),
        "input input float [0]",
        "input input float [2,0]",
        "input input float [] 1",
        "input input absent",
        'input input string [1] "a \\n b"',
        "attribute axis int 1",
        "attribute axes ints",
        'attribute mode string "a b"',
    ],
)
def test_what_fields_can_hold_is_shown(line: str):
    assert names(block(line)) == ["one"]


@pytest.mark.parametrize(
    "line",
    [
        "input input float [65] " + " ".join(["1"] * 65),
        "input input float [1] bits 7fc00001",
        "input input float8e4m3fn [1] bits 1",
        "input input complex64 [1] 1 0",
        "input input float [0,2]",
        "input input sequence float 0",
        "input input empty",
        "attribute value tensor float [1] 1",
        'attribute body graph {"inputs":[]}',
        'attribute mode string ""',
        'attribute mode string "a\\nb"',
    ],
)
def test_what_no_field_can_hold_is_left_out(line: str):
    assert names(block(line), block("attribute axis int 1", name="other")) == ["other"]


def test_examples_of_other_versions_are_left_out():
    assert names(block(versions="1 6")) == []
    assert names(block(versions="1 113"), block(versions="13", name="other")) == ["other"]


def test_published_examples_come_first_and_12_at_most():
    hand = [block(name=f"hand {k}") for k in range(12)]
    published = block(origin="published test_tile", name="published")
    computed = block(origin="oracle test_tile", name="computed")
    plain = block(origin="oracle", name="plain")
    assert names(plain, *hand[:1], computed, published) == [
        *("computed", "published", "plain", "hand 0")
    ]
    assert names(*hand, published) == ["published", *(f"hand {k}" for k in range(11))]


def test_variadic_outputs_are_counted():
    calls = panel_data(VERSIONS["Split-18"])["examples"]
    (call,) = (one for one in calls if one.startswith('example "two and four"\n'))
    assert call.endswith("\noutputs 2")


def test_what_c_lacks_has_no_panel():
    with_panel = {label for label, version in VERSIONS.items() if panel_of(version) is not None}
    assert all(C.gap(VERSIONS[label]) is None for label in with_panel)
    assert len(with_panel) > 0.9 * sum(C.gap(version) is None for version in VERSIONS.values())


def test_no_text_ends_the_script_that_holds_it():
    for version in VERSIONS.values():
        panel = panel_of(version)
        assert panel is None or not {"<", "`", "\n"} & set(panel["data"])


def test_no_call_has_strings_that_c_creates():
    assert panel_of(VERSIONS["StringConcat-20"]) is None
    calls = panel_data(VERSIONS["Cast-13"])["examples"]
    assert calls
    assert all("\nattribute to int 8\n" not in call for call in calls)


def test_drawn_and_repeated_examples_are_not_read(tmp_path: Path):
    kept, drawn = block(), block(origin="drawn", name="drawn")
    repeated = block("repeated T double", origin="oracle")
    (tmp_path / "index.txt").write_text("corpus 3\nedition next\nfile com.example/One.txt 0\n")
    (tmp_path / "com.example").mkdir()
    head = "corpus 3\noperator com.example One"
    text = "\n\n".join([head, kept, drawn, repeated, 'reject "no"\nversions 6', "end\n"])
    (tmp_path / "com.example" / "One.txt").write_text(text)
    assert read_examples(tmp_path) == {"com.example/One": (kept,)}
    (tmp_path / "com.example" / "One.txt").write_text("corpus 2\n")
    with pytest.raises(InputError, match=r"One\.txt.* is no file of a corpus, expected 'corpus 3'"):
        read_examples(tmp_path)
