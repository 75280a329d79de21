"""The reader of the corpus in Python, and what each case states beside its call."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from opmill import conformance
from opmill_gen.load.accuracy_reason import accuracy_reason

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*/*/[0-9]*.yaml"))


@pytest.fixture(scope="module")
def reader() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "corpus_reader", ROOT / "examples" / "corpus" / "corpus.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def read(reader: ModuleType, corpus: Path, name: str) -> Any:
    return reader.read(corpus / "ai.onnx" / f"{name}.txt")


@pytest.mark.parametrize("name", ["Constant", "Softmax", "StringConcat", "Tile"])
def test_the_cases_are_those_of_the_kit(reader: ModuleType, corpus: Path, name: str) -> None:
    """Names, messages and decisions, as two readers have them."""
    operator = read(reader, corpus, name)
    found = {
        (one.kind == "reject", version, one.name): (
            {e.decision for e in reader.decisions(operator, one, version)},
            one.raises[1] if one.raises else None,
        )
        for one in operator.cases
        if one.origin != "drawn"
        for version in one.versions
    }
    expected = {
        (one.is_reject, one.schema.since_version, one.example): (
            {" ".join(e.decision.split()) for e in one.rests_on},
            one.error if one.is_reject else None,
        )
        for one in conformance.cases([name])
    }
    assert found == expected


def test_the_origin_is_that_of_the_spec(reader: ModuleType, corpus: Path) -> None:
    softmax = read(reader, corpus, "Softmax")
    origins = {(one.name, one.origin) for one in softmax.cases if 13 in one.versions}
    assert ("default axis", "hand") in origins
    assert any(origin == "oracle" for _, origin in origins)
    tile = read(reader, corpus, "Tile")
    tests = {one.test for one in tile.cases if one.origin == "published"}
    assert tests == {"test_tile_precomputed"}
    assert {one.origin for one in tile.cases if one.kind == "reject"} == {"hand", "drawn"}


def test_tolerances_have_their_reason(reader: ModuleType, corpus: Path) -> None:
    version = read(reader, corpus, "Softmax").versions[13]
    assert version.accuracy["float"] == (3e-6, 1e-7)
    assert version.reason.startswith("exp of float is within 1 unit in the last place.")
    assert read(reader, corpus, "Tile").versions[13].reason == ""


def test_each_block_states_an_origin(corpus: Path) -> None:
    for path in sorted(corpus.glob("*/*.txt")):
        for block in path.read_text("utf-8").split("\n\n"):
            if block.startswith(("example ", "reject ")):
                kinds = [line.split(" ")[0] for line in block.split("\n")]
                assert kinds.count("origin") == 1, block
                assert kinds.count("outputs") <= block.startswith("reject "), block
                assert kinds[1] == "versions", block


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Why.\n# And how.\naccuracy:\n  float: {}\n", "Why. And how."),
        ("# other\n\naccuracy: # beside it\n  float: {}\n", "beside it"),
        ("accuracy:\n  # Within.\n  float: {} # last\n\n# not this\nsource: {}\n", "Within. last"),
        ("summary: |\n  accuracy: # no\naccuracy: exact\n# not this\n", ""),
    ],
)
def test_the_reason_is_the_comment_of_the_tolerances(text: str, expected: str) -> None:
    assert accuracy_reason(text) == expected


def test_every_tolerance_has_a_reason() -> None:
    assert len(SPECS) > 600
    texts = [(path, path.read_text("utf-8")) for path in SPECS]
    stated = [(path, text) for path, text in texts if "\naccuracy:\n" in text]
    missing = [str(path.relative_to(ROOT)) for path, text in stated if not accuracy_reason(text)]
    assert missing == [], "write the reason of 'accuracy' in a comment in front of it"
