"""Gaps: where they may stand, what they are answered with, and that they hide no fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import load
from opmill_gen.yaml_reader.decode import Faults
from small_project import SPEC, Project, lines_of

EXAMPLES = """\
examples:
  - name: plain
    inputs: {X: {type: int32, value: [1, 2]}}
    outputs: {Y: {type: int32, value: [1, 2]}}
  - name: doubled
    inputs: {X: {type: float, value: [0.5, 2]}, bias: {type: float, value: 3}}
    attributes: {gain: 2}
    outputs: {Y: {type: float, value: [4, 7]}}
"""
PLACES = {
    "prose": (
        "summary: Multiplies X with the gain and adds the bias.",
        "summary: §TODO what it does",
        "what it does",
    ),
    "prose, with a colon": (
        "summary: Multiplies X with the gain and adds the bias.",
        "summary: §'TODO: what it does'",
        "what it does",
    ),
    "nothing said": (
        "description: The factor.",
        "description: §TODO",
        "what it means, in our own words",
    ),
    "a family": ("{name: blend, with: {step: 2}}", "§TODO which", "which"),
    "a parameter of a family": ("with: {step: 2}", "with: {step: §TODO}", "the family's parameter"),
    "an accuracy": ("{float: {rtol: 1e-06, atol: 0}}", "§TODO how exact", "how exact"),
    "the examples": (EXAMPLES, "examples: §TODO some calls\n", "some calls"),
    "one of the examples": (EXAMPLES, "examples: [§TODO a call]\n", "a call"),
    "a fact": ("determinism: deterministic", "determinism: §TODO look it up", "look it up"),
}


@pytest.mark.parametrize("case", PLACES)
def test_a_gap_is_the_only_thing_that_is_said(tmp_path: Path, case: str):
    old, new, what = PLACES[case]
    project = Project(tmp_path)
    project.edit(old, new)
    faults = Faults()
    check(load(project.sources, faults), faults)
    assert lines_of(faults) == []
    assert lines_of(faults.gaps) == [f"{project.locations[0]}: still to be written: {what}"]


def test_a_gap_hides_no_fault_beside_it(tmp_path: Path):
    project = Project(tmp_path)
    project.edit("summary: Multiplies X with the gain and adds the bias.", "summary: TODO")
    project.edit("name: bias, type: T,", "name: bias, type: §T2,")
    faults = Faults()
    check(load(project.sources, faults), faults)
    assert lines_of(faults) == [
        f"{project.locations[0]}: type variable 'T2' is not declared under type_constraints; "
        "did you mean 'T'?"
    ]
    assert len(faults.gaps) == 1


@pytest.mark.parametrize("text", ["TODOs are fine.", "Not TODO.", "todo"])
def test_other_prose_is_no_gap(tmp_path: Path, text: str):
    project = Project(tmp_path)
    project.edit("Multiplies X with the gain and adds the bias.", text)
    faults = Faults()
    load(project.sources, faults)
    assert (faults, faults.gaps) == ([], [])
    assert project.text(SPEC).count(text) == 1
