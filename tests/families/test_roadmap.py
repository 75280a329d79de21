"""The list of families to come names each operator of ai.onnx that has no spec, and no other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from onnx import defs

import opmill
from opmill_gen.pipeline import default_sources

FAMILIES = Path(default_sources().families[0])
ROADMAP = FAMILIES / "ROADMAP.md"


class Row(NamedTuple):
    """A family to come: its name as it stands there, its operators, and what it lacks."""

    family: str
    operators: list[str]
    lacks: str


def rows() -> list[Row]:
    found = []
    for line in ROADMAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            family, operators, lacks = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Row(family, [name.strip() for name in operators.split(",")], lacks))
    heading, rule, *families = found
    assert heading == ("family", ["operators"], "lacks")
    assert rule.family == "---"
    return families


ROWS = rows()
LISTED = Counter(name for row in ROWS for name in row.operators)
PUBLISHED = {schema.name for schema in defs.get_all_schemas() if schema.domain == ""}
MILLED = {name for domain, name, _ in opmill.operators() if domain == "ai.onnx"}


def test_every_operator_without_a_spec_is_there_once():
    twice = sorted(name for name, count in LISTED.items() if count > 1)
    assert not twice, f"in more than one row of {ROADMAP}: {', '.join(twice)}"
    lacking = sorted(PUBLISHED - MILLED - set(LISTED))
    assert not lacking, f"has no spec and no row in {ROADMAP}: {', '.join(lacking)}"
    unknown = sorted(set(LISTED) - PUBLISHED)
    assert not unknown, f"in {ROADMAP}, but no operator of ai.onnx: {', '.join(unknown)}"


def test_an_operator_that_has_a_spec_is_not_there():
    done = sorted(MILLED & set(LISTED))
    assert not done, (
        f"has a spec now: delete it from {ROADMAP}, and its row where it stood alone: "
        f"{', '.join(done)}"
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.family)
def test_a_row_is_complete(row):
    assert row.operators == sorted(row.operators)
    assert row.lacks, "what the family lacks, or 'nothing'"
    name = row.family.strip("`")
    there = (FAMILIES / name / "family.yaml").exists()
    assert (row.family == f"`{name}`") == there, (
        f"{ROADMAP}: there is a family '{name}': write `{name}`"
        if there
        else f"{ROADMAP}: there is no family '{name}': write it without ``"
    )
