"""Records of operators: each writer replaces its own section, also beside other processes."""

from __future__ import annotations

import json
import runpy
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import operator_records
from operator_records import SECTIONS, sections_named, write_section

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that records are written to."""
    monkeypatch.setattr(operator_records, "RECORDS", tmp_path)
    return tmp_path


def test_a_section_is_replaced_beside_the_others(records: Path):
    write_section("ai.onnx", "Tile", "c_fuzz", {"versions": {"1": {"edges": 5}}})
    write_section("ai.onnx", "Tile", "fuzz", {"versions": {"1": {"legal": 3}, "6": {"legal": 1}}})
    write_section("ai.onnx", "Tile", "fuzz", {"versions": {"1": {"legal": 4, "refused": 2}}})
    assert (records / "ai.onnx" / "Tile.json").read_text() == (
        '{\n "fuzz": {\n  "versions": {\n   "1": {"legal": 4, "refused": 2}\n  }\n },\n'
        ' "c_fuzz": {\n  "versions": {\n   "1": {"edges": 5}\n  }\n }\n}\n'
    )
    assert sections_named("fuzz") == {
        ("ai.onnx", "Tile"): {"versions": {"1": {"legal": 4, "refused": 2}}}
    }


def test_versions_are_added_in_their_order(records: Path):
    for versions in ({"13": 1, "1": 2}, {"6": 3, "13": 4}):
        write_section("ai.onnx", "Tile", "c_fuzz", {"versions": versions}, add=True)
    (section,) = sections_named("c_fuzz").values()
    assert list(section["versions"].items()) == [("1", 2), ("6", 3), ("13", 4)]


def test_a_file_without_sections_is_deleted(records: Path):
    for section in ("fuzz", "onnx_tests"):
        write_section("ai.onnx", "Tile", section, {"versions": {"1": {}}})
    write_section("ai.onnx", "Tile", "fuzz", {})
    assert sections_named("onnx_tests")
    assert not sections_named("fuzz")
    write_section("ai.onnx", "Tile", "onnx_tests", {})
    assert not [*(records / "ai.onnx").iterdir()]


def write_often(folder: Path, section: str) -> None:
    """Write one section many times, as a run does that records many operators."""
    operator_records.RECORDS = folder
    for number in range(50):
        write_section("ai.onnx", "Tile", section, {"versions": {"1": number}})


def test_processes_do_not_lose_each_other_s_sections(records: Path):
    with ProcessPoolExecutor(len(SECTIONS), get_context("spawn")) as pool:
        for done in [pool.submit(write_often, records, section) for section in SECTIONS]:
            done.result()
    record = json.loads((records / "ai.onnx" / "Tile.json").read_text())
    assert record == {section: {"versions": {"1": 49}} for section in SECTIONS}


def test_a_damaged_file_is_left_as_it_is(records: Path):
    path = records / "ai.onnx" / "Tile.json"
    path.parent.mkdir()
    path.write_text("<<<<<<< HEAD\n{")
    with pytest.raises(ValueError, match=r"Tile\.json: not a record: .*; restore it with git"):
        write_section("ai.onnx", "Tile", "fuzz", {"versions": {}})
    assert path.read_text() == "<<<<<<< HEAD\n{"


def test_runs_of_the_c_fuzzer_are_recorded_by_domain(records: Path, tmp_path: Path):
    main = runpy.run_path(str(ROOT / ".ci" / "c_fuzz_record.py"))["main"]
    logs = tmp_path / "logs"
    logs.mkdir()
    for label, ways in (("Tile-6", ", 9 fill, 122 memcpy"), ("Gelu-1", "")):
        end = f"TALLY {label}: 100 calls, 41 legal{ways}\n#120\tDONE   cov: 35 ft: 1"
        (logs / f"{label}.log").write_text(end)
    versions = [
        {"domain": domain, "operator": name, "since_version": version, "made_of": "0f"}
        for domain, name, version in (("ai.onnx", "Tile", 6), ("com.microsoft", "Gelu", 1))
    ]
    coverage = tmp_path / "coverage.json"
    coverage.write_text(json.dumps({"versions": versions}))
    write_section("ai.onnx", "Tile", "c_fuzz", {"versions": {"13": {"edges": 5}}})
    main(coverage, logs, ["Tile-6", "Gelu-1"])
    tile, gelu = sections_named("c_fuzz").items()
    run = {"made_of": "0f", "executions": 120, "legal_share": 0.41, "edges": 35}
    assert gelu == (
        ("com.microsoft", "Gelu"),
        {"sanitizers": "address,undefined", "versions": {"1": run}},
    )
    assert tile[0] == ("ai.onnx", "Tile")
    assert tile[1]["versions"] == {
        "6": {**run, "ways": {"fill": 9, "memcpy": 122}},
        "13": {"edges": 5},
    }
