"""The errata that cases rest on: what is wrong with a name, and with a case that gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import Loaded, load
from opmill_gen.yaml_reader.decode import Faults
from small_project import CASES, ERRATA, faults_of, three_versions

ERRATUM = "  - {{{} text: Unclear., decision: Decide., evidence: E.}}\n"
OPEN = ["silent", "contradictory", "overruled"]


def stage(loaded: Loaded, faults: Faults) -> None:
    check(loaded, faults)


@pytest.mark.parametrize("kind", OPEN)
def test_a_case_rests_on_an_open_erratum_of_one_of_its_versions(tmp_path: Path, kind: str):
    project = three_versions(tmp_path)
    project.edit("  - name: doubled", "  - name: doubled\n    rests_on: [order]")
    project.edit("  - name: a matrix", "  - name: a matrix\n    rests_on: [order]")
    project.put(ERRATA, "errata:\n" + ERRATUM.format(f"name: order, kind: {kind}, since: 10,"))
    faults = Faults()
    loaded = load(project.sources, faults)
    check(loaded, faults)
    assert not faults
    (doubled,) = (one for one in loaded.versions[0][1].examples if one.name == "doubled")
    assert doubled.rests_on == ("order",)


FAULTS = {
    "no erratum": (
        "[§orders]",
        ["name: order, kind: silent,"],
        "there is no erratum 'orders'; did you mean 'order'?",
    ),
    "no erratum has a name": ("§[order]", ["kind: silent,"], "there is no erratum 'order'"),
    "a clear erratum": (
        "§[order]",
        ["name: order, kind: clear,"],
        "the erratum 'order' is clear, expected a kind that is open (silent, "
        "contradictory, overruled): where the text is clear, nothing rests on our decision",
    ),
    "an erratum of other versions": (
        "§[order]\n    before: 10",
        ["name: order, kind: silent, since: 10,"],
        "the erratum 'order' applies to none of the versions of this case",
    ),
    "not a list": ("§order", ["name: order, kind: silent,"], "expected a list, got text 'order'"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_case_that_rests_on_nothing_is_an_error(tmp_path: Path, name: str):
    given, errata, message = FAULTS[name]
    project = three_versions(tmp_path)
    project.edit("  - name: doubled", f"  - name: doubled\n    rests_on: {given}")
    project.put(ERRATA, "errata:\n" + "".join(map(ERRATUM.format, errata)))
    found = faults_of(project, stage)
    assert len(found) == 1
    assert found[0].startswith(f"{CASES}:")
    assert found[0].partition(": ")[2] == message


@pytest.mark.parametrize(
    ("errata", "message"),
    [
        (
            ["name: Order!, kind: silent,"],
            "2:12: 'Order!' cannot name an erratum; use lower-case letters, digits, spaces",
        ),
        (
            ["name: order, kind: silent,", "since: 2, name: order, kind: clear,"],
            "3:22: the erratum of line 2 has the name 'order' in one of these versions, expected "
            "another name",
        ),
        (["name: order, kind: vague,"], "2:25: 'vague' is unknown here; expected"),
        (["name: order,"], "2:5: key 'kind' is missing; it gives silent, contradictory,"),
    ],
)
def test_errata_have_a_kind_and_names_of_their_own(tmp_path: Path, errata: list[str], message: str):
    project = three_versions(tmp_path)
    project.put(ERRATA, "errata:\n" + "".join(map(ERRATUM.format, errata)))
    (found,) = faults_of(project, stage)
    assert found.startswith(f"{ERRATA}:{message}")


def test_errata_of_other_versions_may_share_a_name(tmp_path: Path):
    project = three_versions(tmp_path)
    errata = ("before: 10, name: order, kind: silent,", "since: 10, name: order, kind: clear,")
    project.put(ERRATA, "errata:\n" + "".join(map(ERRATUM.format, errata)))
    assert faults_of(project, stage) == []
