"""``verify`` with an onnx of another release than the specs lists what one side cannot know.

Schemas are those of the installed onnx; the release that it states, and what it lacks, is planted.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from opmill_gen.check.check import check
from opmill_gen.load.load import load
from opmill_gen.onnx import facts
from opmill_gen.onnx import verify as onnx_verify
from opmill_gen.onnx.facts import release_order
from opmill_gen.onnx.verify import Comparison, verify
from opmill_gen.yaml_reader.decode import Faults
from small_project import Project, lines_of
from transcribed import BASE, DROPOUT

INDEX = "specs/ai.onnx/index.yaml"
HERE = """\
domain: ai.onnx
onnx: 1.23.2
opset: 28

operators:
  AveragePool: {versions: [1, 7, 10, 11, 19, 22]}
  Dropout: {versions: [1, 6, 7, 10, 12, 13, 22]}
  LeakyRelu: {versions: [1, 6, 16]}
"""
NAMES = ("AveragePool", "Dropout", "LeakyRelu")

Result = tuple[list[str], Comparison]
Verified = Callable[..., Result]


@pytest.fixture
def verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verified:
    """Compare three operators with an onnx of a release, less some versions."""

    def run(release: str, lacking: tuple[str, ...] = (), index: str = HERE) -> Result:
        schemas = {
            (domain, name, version): schema
            for (domain, name, version), schema in facts.all_schemas().items()
            if domain == "ai.onnx" and name in NAMES and f"{name}-{version}" not in lacking
        }
        monkeypatch.setattr(onnx_verify, "all_schemas", lambda: schemas)
        monkeypatch.setattr(onnx_verify, "onnx_release", lambda: release)
        project = Project(tmp_path, {**BASE, INDEX: index})
        faults = Faults()
        comparison = verify(check(load(project.sources, Faults()), Faults()), faults)
        return lines_of(faults), comparison

    return run


def test_the_release_of_the_specs_must_have_everything(verified: Verified):
    assert verified("1.23.2")[0] == []
    assert verified("1.23.2", lacking=("Dropout-13",))[0] == [
        f"{DROPOUT}:1:1: onnx has no Dropout-13 in ai.onnx",
        f"{INDEX}:7:12: onnx has the versions [1, 6, 7, 10, 12, 22] of Dropout, not "
        "[1, 6, 7, 10, 12, 13, 22]",
    ]


def test_an_older_release_lacks_versions_and_the_others_are_compared(verified: Verified):
    lines, comparison = verified("1.16.0", lacking=("Dropout-13", "AveragePool-19"))
    assert lines == []
    assert comparison[:2] == (2, 2)
    assert comparison.unknown.packages == {
        "onnx 1.16.0": {"ai.onnx": ["AveragePool-19", "Dropout-13"]}
    }
    assert comparison.unknown.specs == {}


def test_an_older_release_cannot_have_more(verified: Verified):
    index = HERE.replace("[1, 6, 16]", "[1, 16]")
    assert verified("1.16.0", index=index)[0] == [
        f"{INDEX}:8:14: onnx has the versions [1, 6, 16] of LeakyRelu, not [1, 16]"
    ]


def test_a_newer_release_has_more(verified: Verified):
    index = HERE.replace("[1, 6, 16]", "[1, 16]").replace("  Dropout", "  # Dropout")
    lines, comparison = verified("1.24.0.dev20261026", index=index)
    assert [line for line in lines if "index.yaml" in line] == []
    assert comparison.unknown.specs["onnx 1.24.0.dev20261026"]["ai.onnx"] == [
        *(f"Dropout-{version}" for version in (1, 6, 7, 10, 12, 13, 22)),
        "LeakyRelu-6",
    ]


def test_a_newer_release_must_have_what_was_published(verified: Verified):
    lines, _ = verified("1.24.0", lacking=("Dropout-13",))
    assert f"{DROPOUT}:1:1: onnx has no Dropout-13 in ai.onnx" in lines


COMING = HERE.replace("opset: 28", "opset: 29\ncoming: {onnx: 1.24.0.dev1, opset: 29}")


def test_what_is_to_come_is_not_in_the_release_of_the_index(verified: Verified):
    index = COMING.replace("[1, 6, 16]", "[1, 6, 16, 29]")
    lines, comparison = verified("1.23.2", index=index)
    assert lines == []
    assert comparison.unknown.packages == {"onnx 1.23.2": {"ai.onnx": ["LeakyRelu-29"]}}


def test_what_is_to_come_is_in_the_release_that_it_was_taken_from(verified: Verified):
    index = COMING.replace("[1, 6, 16]", "[1, 6, 16, 29]")
    assert verified("1.24.0.dev1", index=index)[0] == [
        f"{INDEX}:3:8: onnx knows opset 28, not 29",
        f"{INDEX}:9:14: onnx has the versions [1, 6, 16] of LeakyRelu, not [1, 6, 16, 29]",
    ]


def test_releases_are_in_order():
    order = ["1.9.0", "1.16.0rc1", "1.16.0", "1.16.2", "1.24.0.dev20261019", "1.24.0.dev20261026",
             "1.24.0"]  # fmt: skip
    for older, newer in pairwise(order):
        assert release_order(older) < release_order(newer)
