"""The coverage table: its numbers are those of the specs, the index and the records."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checked_tree import checked_tree
from opmill_gen.base.cache import Figures
from opmill_gen.base.diagnostics import InputError
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.docs.coverage import coverage_of, domains
from opmill_gen.emit.docs.made_of import made_of
from opmill_gen.load.test_records import Records, read_records

ROOT = Path(__file__).resolve().parents[2]
DATA = json.loads((ROOT / "generated" / "docs" / "coverage.json").read_text(encoding="utf-8"))
CHECKED = checked_tree()


def test_the_denominators_are_those_of_the_index():
    onnx = DATA["domains"]["ai.onnx"]
    assert onnx["operators"]["published"] == 204
    assert onnx["versions"]["published"] == 630
    specs = (ROOT / "specs" / "ai.onnx").glob("*/[0-9]*.yaml")
    assert onnx["versions"]["supported"] == len(list(specs))
    domain = next(one for one in domains(CHECKED) if one.domain == "ai.onnx")
    assert domain.supported["Tile"] == (1, 6, 13)


def test_the_readme_states_how_many_versions_c_has():
    stated = re.search(r"(\d+) of them in C", (ROOT / "README.md").read_text("utf-8"))
    in_c = [v for v in CHECKED.versions if v.spec.domain == "ai.onnx" and c_gap(v) is None]
    assert stated is not None
    assert int(stated[1]) == len(in_c)


def test_every_version_has_its_cases_and_types():
    assert len(DATA["versions"]) == len(CHECKED.versions)
    for found, version in zip(DATA["versions"], CHECKED.versions, strict=True):
        spec = version.spec
        assert (found["operator"], found["since_version"]) == (spec.operator, spec.since_version)
        assert found["examples"] == len(spec.examples)
        assert found["rejects"] == len(spec.rejects)
        coverage = coverage_of(version, Records(), Figures({}))
        assert found["types"] == {type.type: type.examples for type in coverage.types} != {}
        for backend in ("numpy", "c"):
            gaps = {t.type: t.gaps[backend] for t in coverage.types if backend in t.gaps}
            assert found["gaps"].get(backend, {}) == gaps


def test_examples_are_counted_for_the_types_they_show():
    tile = next(v for v in CHECKED.versions if v.spec.label == "Tile-1")
    counts = {t.type: t.examples for t in coverage_of(tile, Records(), Figures({})).types}
    assert set(counts) == {"tensor(double)", "tensor(float)", "tensor(float16)"}
    repeated = sum(example.each_type == "T" for example in tile.spec.examples)
    for word, count in counts.items():
        named = sum(
            any(
                f"tensor({tensor.type.value})" == word
                for argument in example.inputs.values()
                for tensor in argument.tensors or ()
            )
            for example in tile.spec.examples
            if example.each_type is None
        )
        assert count == named + repeated


def test_sequences_and_optionals_are_counted_by_what_examples_hold():
    identity = next(v for v in CHECKED.versions if v.spec.label == "Identity-16")
    counts = {t.type: t.examples for t in coverage_of(identity, Records(), Figures({})).types}
    assert counts["seq(tensor(int8))"] == 1  # the one that each_type repeats
    assert counts["optional(tensor(int8))"] == 1  # the one without contents
    assert counts["optional(seq(tensor(int8)))"] == 1
    assert counts["tensor(uint8)"] == 1
    assert "seq(tensor(bfloat16))" not in counts


def test_numbers_of_runs_come_from_the_records():
    records = Records(
        {
            "ai.onnx/Tile": {
                "onnx_tests": {"versions": {"1": {"own": 2, "models": 15}}},
                "fuzz": {"versions": {"1": {"legal": 30, "refused": 12}}},
                "c_fuzz": {"versions": {"1": {"executions": 1000000}}},
            }
        }
    )
    tile, other = (
        coverage_of(
            next(v for v in CHECKED.versions if v.spec.label == label), records, Figures({})
        )
        for label in ("Tile-1", "Tile-6")
    )
    assert (tile.onnx_tests, tile.differential_calls, tile.c_executions) == (15, 42, 1_000_000)
    assert (other.onnx_tests, other.differential_calls, other.c_executions) == (0, 0, 0)


def test_records_of_other_code_are_marked_stale():
    tile = next(v for v in CHECKED.versions if v.spec.label == "Tile-13")
    digest = made_of(tile, Figures({}))
    run = {"made_of": digest, "legal": 3, "refused": 1}

    def stale(version: CheckedVersion, fuzz: dict[str, Any]) -> tuple[str, ...]:
        records = Records({"ai.onnx/Tile": {"fuzz": {"versions": {"13": fuzz}}}})
        return coverage_of(version, records, Figures({})).stale

    assert stale(tile, run) == ()
    assert stale(tile, {"legal": 3, "refused": 1}) == ("fuzz",)
    family = replace(tile.instance.family, kernel_digest="edited")
    assert stale(replace(tile, instance=replace(tile.instance, family=family)), run) == ("fuzz",)
    fewer = dict(list(tile.spec.type_constraints.items())[:1])
    assert stale(replace(tile, spec=replace(tile.spec, type_constraints=fewer)), run) == ("fuzz",)
    prose = replace(tile, spec=replace(tile.spec, summary="Another summary."))
    assert stale(prose, run) == ()


def test_a_damaged_record_is_named(tmp_path: Path):
    assert read_records(None).files == {}
    assert read_records(tmp_path / "nowhere").files == {}
    (tmp_path / "ai.onnx").mkdir()
    (tmp_path / "ai.onnx" / "Tile.json").write_text("{")
    with pytest.raises(InputError, match=r"tests/records/ai\.onnx/Tile\.json: not a record"):
        read_records(tmp_path)
