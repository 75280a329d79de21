"""The plan of the families names each operator of ai.onnx that has no spec, in one row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from onnx import defs

import opmill
from opmill_gen.load.load import default_sources

ROADMAP = Path(default_sources().families[0]) / "ROADMAP.md"


class Row(NamedTuple):
    """A family, its operators, and what it needs."""

    family: str
    operators: list[str]
    needs: str


def rows() -> list[Row]:
    found = []
    for line in ROADMAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            family, operators, needs = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Row(family, [name.strip() for name in operators.split(",")], needs))
    heading, rule, *families = found
    assert heading == ("family", ["operators"], "needs")
    assert rule.family == "---"
    return families


ROWS = rows()
LISTED = Counter(name for row in ROWS for name in row.operators)
PUBLISHED = {schema.name for schema in defs.get_all_schemas() if schema.domain == ""}
SUPPORTED = {name for domain, name, _ in opmill.operators() if domain == "ai.onnx"}


def test_every_operator_without_a_spec_is_there_once():
    twice = sorted(name for name, count in LISTED.items() if count > 1)
    assert not twice, f"in more than one row of {ROADMAP}: {', '.join(twice)}"
    lacking = sorted(PUBLISHED - SUPPORTED - set(LISTED))
    assert not lacking, f"has no spec and no row in {ROADMAP}: {', '.join(lacking)}"
    unknown = sorted(set(LISTED) - PUBLISHED)
    assert not unknown, f"in {ROADMAP}, but no operator of ai.onnx: {', '.join(unknown)}"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.family)
def test_a_row_is_complete(row):
    assert row.operators == sorted(row.operators)
    assert row.needs, "what the family needs, or 'nothing'"
