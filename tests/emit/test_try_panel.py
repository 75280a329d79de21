"""Initial contents of the manual's panels: calls of examples, as the page's script reads them."""

from __future__ import annotations

import json
from typing import Any

from checked_tree import checked_tree
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backends import C
from opmill_gen.emit.docs.site.try_panel import try_panel

VERSIONS = {version.spec.label: version for version in checked_tree().versions}


def panel_data(version: CheckedVersion) -> Any:
    panel = try_panel(version)
    assert panel is not None
    return json.loads(panel["data"])


def test_a_call_is_what_a_reader_would_type():
    tile = panel_data(VERSIONS["Tile-13"])["examples"][0]
    assert tile == {
        "name": "precomputed",
        "inputs": [["float", "[[0, 1],\n [2, 3]]"], ["int64", "[2, 2]"]],
        "attributes": {},
        "outputs": 1,
    }


def test_attributes_and_their_defaults_are_text():
    data = panel_data(VERSIONS["MaxPool-12"])
    assert data["defaults"] == {"auto_pad": "NOTSET", "ceil_mode": "0", "storage_order": "0"}
    given = [call["attributes"] for call in data["examples"] if "strides" in call["attributes"]]
    assert json.loads(given[0]["strides"])


def test_lists_of_numbers_and_texts_are_as_a_reader_types_them():
    calls = {call["name"]: call for call in panel_data(VERSIONS["LSTM-14"])["examples"]}
    (given,) = {call["attributes"].get("activations") for call in calls.values()} - {None}
    assert json.loads(given)
    upsample = panel_data(VERSIONS["Upsample-7"])["examples"][0]["attributes"]["scales"]
    assert json.loads(upsample)


def test_no_call_needs_a_text_that_a_field_cannot_hold():
    for version in VERSIONS.values():
        panel = try_panel(version)
        for call in json.loads(panel["data"])["examples"] if panel else ():
            assert all(text and "\n" not in text for text in call["attributes"].values())


def test_variadic_outputs_are_counted():
    calls = {call["name"]: call for call in panel_data(VERSIONS["Split-18"])["examples"]}
    assert calls["two and four"]["outputs"] == 2


def test_what_c_lacks_has_no_panel():
    with_panel = {label for label, version in VERSIONS.items() if try_panel(version) is not None}
    assert all(C.gap(VERSIONS[label]) is None for label in with_panel)
    assert len(with_panel) > 0.9 * sum(C.gap(version) is None for version in VERSIONS.values())


def test_no_text_ends_the_script_that_holds_it():
    for version in VERSIONS.values():
        panel = try_panel(version)
        assert panel is None or not {"<", "`", "\n"} & set(panel["data"])


def test_no_call_has_strings_that_c_creates():
    assert try_panel(VERSIONS["StringConcat-20"]) is None
    calls = panel_data(VERSIONS["Cast-13"])["examples"]
    assert calls
    assert all(call["attributes"]["to"] != "8" for call in calls)
