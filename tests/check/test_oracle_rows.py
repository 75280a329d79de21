"""Rows that specs name and an oracle of the family has no entry for."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import load
from opmill_gen.yaml_reader.decode import Faults
from small_project import FAMILY, SPEC, Project

FOLDER = "families/blend"
ROWS = "add: {about: a sum}\nblend: {about: a mixture}\n"
ORACLE = """\
def add(a):
    return a


FUNCTIONS = {
    "add": add,
    "blend": add,
}
TO_BOOL = frozenset({"blend"})


def oracle(inputs, attributes, *, function):
    return FUNCTIONS[function](inputs)
"""
MISSING = (
    "'blend' is missing, expected an entry for every row of rows.yaml that a spec names (Blend-1)"
)


def faults(tmp_path: Path, oracle: str) -> list[str]:
    project = Project(tmp_path)
    project.edit(
        "parameters:\n",
        "parameters:\n  function: {kind: string, rows: true, description: What.}\n",
        FAMILY,
    )
    project.edit("with: {step: 2}", "with: {step: 2, function: blend}", SPEC)
    for name, text in (("rows.yaml", ROWS), ("oracle.py", oracle)):
        project.put(f"{FOLDER}/{name}", text)
    found = Faults()
    check(load(project.sources, found), found)
    return [str(fault) for fault in sorted(found)]


def test_every_row_has_an_entry(tmp_path: Path):
    assert faults(tmp_path, ORACLE) == []


def test_the_oracle_lacks_a_row(tmp_path: Path):
    oracle = ORACLE.replace('    "blend": add,\n', "")
    assert faults(tmp_path, oracle) == [f"{FOLDER}/oracle.py:5:13: {MISSING}"]


@pytest.mark.parametrize(
    "oracle",
    [
        ORACLE.replace('    "blend": add,\n', "    **OTHERS,\n"),
        "def oracle(inputs, attributes, *, function):\n    return table()[function]\n",
        "def oracle(:\n",
    ],
    ids=["entries of elsewhere", "no table", "no Python"],
)
def test_what_cannot_be_read_is_left_to_the_tests(tmp_path: Path, oracle: str):
    assert faults(tmp_path, oracle) == []
