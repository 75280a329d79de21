"""The record of conversions against the specs, so that it cannot become stale unnoticed.

``make conversions`` writes the record anew; with ``OPERATORS="Tile"``, the part of an operator.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import onnx
import pytest

from conversion_chains import ends
from conversion_proof import steps, table
from conversion_record import RECORD, digest, step_of
from conversion_silent import results, written
from converted_networks import TARGETS
from operator_records import json_text
from opmill._onnx.catalog import MAIN_DOMAIN, domains
from opmill.conformance._cases import examples_of

REPAIR = "run make conversions"
OPERATORS = sorted(domains()[MAIN_DOMAIN].published)


@cache
def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORD.read_text("utf-8"))
    return found


@cache
def examples(operator: str, version: int) -> int:
    """The number of examples of a version, with those that are repeated in other types."""
    return sum(1 for _ in examples_of(MAIN_DOMAIN, operator, version))


def test_the_text_is_that_of_the_command():
    assert RECORD.read_text("utf-8") == json_text(record(), 4) + "\n", REPAIR
    assert record()["onnx"] == onnx.__version__, REPAIR


def test_operators():
    assert sorted(record()["operators"]) == OPERATORS, REPAIR


@pytest.mark.parametrize("operator", OPERATORS)
def test_steps_and_chains(operator: str):
    entry = record()["operators"][operator]
    assert entry["made_of"] == digest(operator), f"{REPAIR} OPERATORS={operator}"
    counts = {
        " ".join(step_of(*step)): examples(operator, step[1])
        for step in steps(frozenset({operator}))
    }
    measured = {key: sum(one["examples"].values()) for key, one in entry["steps"].items()}
    assert measured == counts, f"{REPAIR} OPERATORS={operator}"
    chains = [(one["from"], one["to"], sum(one["examples"].values())) for one in entry["chains"]]
    wanted = [(at, to, examples(operator, version)) for _, version, at, to in ends(operator)]
    assert chains == wanted, f"{REPAIR} OPERATORS={operator}"


@pytest.mark.parametrize("operator", OPERATORS)
def test_no_fault_is_recorded(operator: str):
    entry = record()["operators"][operator]
    for one in (*entry["steps"].values(), *entry["chains"]):
        assert not one["examples"].keys() & {"different", "invalid", "failed"}
        if "from" not in one:
            assert len(one.get("differs", ())) == one["examples"].get("differs", 0), REPAIR
        assert bool(one.get("reasons")) == bool("refused" in one["examples"] and "from" not in one)
        if "onnx" in one:
            ran = sum(one["examples"].values()) - one["examples"].get("not run", 0)
            assert sum(one["onnx"].values()) == ran
            assert ("silent" in one) == ("silent" in one["onnx"])


def test_examples_that_entries_list_differ():
    listed = {
        (operator, step, example)
        for operator, entry in table()[MAIN_DOMAIN].items()
        for step, ways in entry.items()
        for alternative in (*ways["up"], *ways["down"])
        for example in alternative.get("differs", ())
    }
    recorded = {
        (operator, key.split()[0], example)
        for operator, entry in record()["operators"].items()
        for key, one in entry["steps"].items()
        for example in one.get("differs", ())
    }
    assert listed == recorded, "remove examples from differs, or " + REPAIR


PARTLY_IMPOSSIBLE = {"Dropout 6>7 up"}
"""Upgrades of which some calls are refused: no bits are right where elements drop at random."""


def test_goals_of_conversions():
    down = [
        one["examples"]
        for entry in record()["operators"].values()
        for key, one in entry["steps"].items()
        if key.endswith(" down") and not key.startswith("new")
    ]
    exact = [one for one in down if not one.keys() & {"close", "differs"} and one.get("exact")]
    assert len(down) == 426
    assert len(exact) >= 400
    up = {
        f"{name} {key}": one["examples"]
        for name, entry in record()["operators"].items()
        for key, one in entry["steps"].items()
        if key.endswith(" up")
    }
    assert len(up) == 426
    assert {key for key, one in up.items() if one.keys() != {"exact"}} == PARTLY_IMPOSSIBLE
    nodes = record()["node_tests"]
    assert _right(nodes["one lower"]) >= 900
    assert _right(nodes["13"]) + _right(nodes["newer"]["13"]) >= 700


def _right(entry: dict[str, Any]) -> int:
    counts = entry["opmill"]
    return int(counts.get("exact", 0) + counts.get("close", 0))


def test_networks():
    networks = record()["networks"]
    assert list(networks) == list(map(str, TARGETS))
    for entry in networks.values():
        assert "wrong" not in entry["opmill"]
        assert sum(entry["onnx"].values()) == sum(entry["opmill"].values())


REPRODUCTIONS = {
    f"{operator} {key}": one["silent"]
    for operator, entry in record()["operators"].items()
    for key, one in entry["steps"].items()
    if "model" in one.get("silent", {})
}


@pytest.mark.parametrize("name", sorted(REPRODUCTIONS))
def test_silent_differences_of_onnx_reproduce(name: str):
    found = REPRODUCTIONS[name]
    before, after = results(found["model"], found["to"])
    assert (written(before), written(after)) == (found["before"], found["after"]), REPAIR
