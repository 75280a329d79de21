"""The pages about other runtimes: what their cells, links and totals make of a record."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from checked_tree import checked_tree
from opmill_gen.emit.docs.scoreboard import failures_page, scoreboard_page, target_page
from opmill_gen.load.test_records import Records

VERSIONS = checked_tree().versions
RIGHT = {"status": "right", "right": 9, "rejects": 4}
REFUSED = {"status": "absent", "refused": 9, "computed_rejects": 1, "rejects": 4}

OPEN = {"status": "open", "right": 7, "open": 2, "open_rejects": 3, "rejects": 4}


def wrong(case: str, text: str, count: int) -> dict[str, Any]:
    smallest = {"case": case, "type": "float", "outcome": "wrong", "text": text}
    return {"status": "wrong", "wrong": count, "right": 3, "rejects": 2, "smallest": smallest}


RECORDS = Records(
    {
        "conformance": {
            "targets": {"one": "1.0", "other.runtime": "2.0"},
            "how": {"one": "on a table"},
            "cases": {"one": 90},
            "versions": {
                "ai.onnx": {
                    "Relu-1": {"one": REFUSED, "other.runtime": RIGHT},
                    "Relu-6": {"one": wrong("nan", "Y: 1 differs", 2), "other.runtime": RIGHT},
                    "Relu-13": {"one": wrong("nan", "Y: 1 differs", 5), "other.runtime": RIGHT},
                    "Relu-14": {"one": wrong("zero", "Y: a|b", 1)},
                    "Tile-13": {"one": RIGHT, "other.runtime": RIGHT},
                    "TopK-10": {"one": RIGHT, "other.runtime": RIGHT},
                    "TopK-11": {"one": OPEN, "other.runtime": RIGHT},
                }
            },
        }
    }
)


def test_a_row_holds_the_versions_of_an_operator():
    page = scoreboard_page(VERSIONS, RECORDS)
    assert [row["name"] for row in page["rows"]] == ["Relu", "Tile", "TopK"]
    relu, tile, top_k = page["rows"]
    assert relu["anchor"] == "relu-14"
    assert relu["cells"] == [
        "refused 1; [**wrong 6, 13, 14**](#conformance-one-relu)",
        "right 1, 6, 13; not run 14",
    ]
    assert tile["cells"] == ["right", "right"]
    assert top_k["cells"] == ["right 10; [open 11](#topk-11-decisions)", "right"]


def test_totals_count_versions_and_invalid_calls():
    one, other = scoreboard_page(VERSIONS, RECORDS)["targets"]
    assert (one["versions"], one["right"], one["wrong"], one["absent"]) == (7, 2, 3, 1)
    assert (one["computed_rejects"], one["rejects"]) == (1, 22)
    assert (one["open"], one["open_results"], other["open_results"]) == (1, 5, 0)
    assert (other["versions"], other["right"], other["page"]) == (6, 6, "other_runtime")


def test_a_sample_is_counted_with_the_invalid_calls():
    one, other = scoreboard_page(VERSIONS, RECORDS)["targets"]
    assert (one["how"], other["how"]) == ("on a table", "")
    # By hand: Relu 1, 6, 13 and 14 are 13, 7, 10 and 6 cases, Tile and TopK twice 13.
    assert (one["run"], one["cases"]) == (13 + 7 + 10 + 6 + 3 * 13, 90)


def test_versions_that_fail_alike_are_one_item():
    page = failures_page("one", VERSIONS, RECORDS, lambda version, case: f"place-{case}")
    (relu,) = page["operators"]
    assert relu["anchor"] == "conformance-one-relu"  # where the table's links lead
    first, second = relu["failures"]
    assert (first["versions"], first["anchor"]) == ("6, 13", "place-nan")
    assert (first["least"], first["most"]) == (2, 5)
    assert first["case"] == "nan \\(float\\)"
    assert second["versions"] == "14"
    assert second["text"] == "`Y: a|b`"


def test_a_runtime_without_failures_has_an_empty_page():
    page = failures_page("other.runtime", VERSIONS, RECORDS, lambda version, case: case)
    assert page["operators"] == []
    assert page["version"] == "2.0"


def test_names_of_pages_are_names_of_files():
    assert target_page("onnx.reference") == "onnx_reference"


ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_page_is_that_of_the_record():
    record = json.loads((ROOT / "tests/records/conformance.json").read_text("utf-8"))
    page = (ROOT / "generated/docs/conformance.md").read_text("utf-8")
    assert len(page) < 300_000
    supported = {version.spec.label for version in VERSIONS if version.spec.domain == "ai.onnx"}
    assert len(record["targets"]) >= 10
    for target, release in record["targets"].items():
        entries = [
            found[target]
            for label, found in record["versions"]["ai.onnx"].items()
            if target in found and label in supported
        ]
        statuses = Counter(entry["status"] for entry in entries)
        assert f"| {target} {release} | " in page
        line = next(one for one in page.splitlines() if one.startswith(f"| {target} {release} |"))
        _, _, run, versions, right, is_open, partial, wrong, failed, absent, *_ = (
            cell.strip() for cell in line.split("|")
        )
        assert int(run) <= record["cases"][target]
        assert int(versions) == len(entries)
        counted = (right, is_open, partial, wrong, absent)
        names = ("right", "open", "partial", "wrong", "absent")
        assert [int(one) for one in counted] == [statuses[name] for name in names]
        assert int(failed) == statuses["crashed"] + statuses["hung"]
        assert f"\n* {target}: {record['how'][target]}" in page
