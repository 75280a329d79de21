"""``news`` lists each difference between onnx and the specs, and ``import --new`` begins specs.

The specs are three transcribed versions; onnx is reduced to three operators.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from checked_tree import checked_tree
from opmill_gen.author import import_onnx
from opmill_gen.cli.main import main
from opmill_gen.load.sources import default_sources
from opmill_gen.onnx import facts
from opmill_gen.onnx import news as onnx_news
from opmill_gen.onnx import verify as onnx_verify
from opmill_gen.onnx.news import changed_texts, missing_versions
from small_project import Project
from transcribed import BASE, DROPOUT

INDEX = "specs/ai.onnx/index.yaml"
THREE = {("AveragePool", 22), ("Dropout", 13), ("LeakyRelu", 16)}
HERE = """\
domain: ai.onnx
onnx: 1.23.2
opset: 28

operators:
  AveragePool: {versions: [22]}
  Dropout: {versions: [13]}
  LeakyRelu: {versions: [16]}
"""


KNOWN = facts.all_schemas()


class Installed:
    """An onnx of some of its versions, and a project beside it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.project = Project(folder, {**BASE, INDEX: HERE})
        self.patch = patch
        self.of()
        patch.chdir(folder)

    def of(self, *more: tuple[str, int]) -> None:
        """Let onnx have the three versions, and these."""
        schemas = {
            (domain, name, version): schema
            for (domain, name, version), schema in KNOWN.items()
            if domain == "ai.onnx" and (name, version) in {*THREE, *more}
        }
        for module in (facts, import_onnx, onnx_news, onnx_verify):
            self.patch.setattr(module, "all_schemas", lambda: schemas)

    def release(self, release: str) -> None:
        """Let onnx say that it is of a release."""
        for module in (onnx_news, onnx_verify):
            self.patch.setattr(module, "onnx_release", lambda: release)

    def call(self, *arguments: str) -> tuple[int, str]:
        """The exit code of a command, and what it prints."""
        result = CliRunner().invoke(main, [*arguments])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result.exit_code, result.stdout

    def document(self) -> dict[str, Any]:
        """Return the output of ``news --json``."""
        found: dict[str, Any] = json.loads(self.call("news", "--json")[1])
        return found


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    return Installed(tmp_path, monkeypatch)


def test_the_specs_of_the_project_lack_only_what_their_indexes_refuse():
    checked = checked_tree()
    specs = [version.spec for version in checked.versions]
    assert missing_versions(specs, checked.indexes) == {}
    assert changed_texts(specs, default_sources().specs) == {}


def test_no_news_once_the_texts_are_recorded(installed: Installed):
    assert installed.call("news")[0] == 1
    assert installed.call("news", "--record") == (0, "specs/ai.onnx/texts.json\n")
    code, text = installed.call("news")
    assert code == 0
    assert text.startswith("onnx 1.23.2 has no news\n")
    document = installed.document()
    assert document["ok"]
    assert document["versions"] == document["texts"] == {}


def test_a_text_that_changed(installed: Installed):
    installed.call("news", "--record")
    path = installed.project.root / "specs/ai.onnx/texts.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["texts"]["Dropout-13"] = {"1.16.0": "0" * 16}
    path.write_text(json.dumps(record), encoding="utf-8")
    assert installed.document()["texts"] == {"ai.onnx": ["Dropout-13"]}
    code, text = installed.call("news")
    assert code == 1
    assert "texts that are not recorded:\n  ai.onnx: Dropout-13\n" in text


def test_a_fact_that_differs(installed: Installed):
    installed.call("news", "--record")
    text = installed.project.text(DROPOUT)
    installed.project.put(DROPOUT, text.replace("shape_inference: true", "shape_inference: false"))
    (fault,) = installed.document()["facts"]
    assert fault["message"] == "shape_inference is False; onnx has True"


def test_a_new_version_is_listed_and_begun(installed: Installed):
    installed.call("news", "--record")
    installed.of(("Dropout", 22), ("Abs", 13))
    installed.release("1.24.0")
    assert installed.document()["versions"] == {"ai.onnx": ["Abs-13", "Dropout-22"]}
    code, text = installed.call("import", "--new")
    assert code == 0, text
    begun = ["Abs/13.yaml", "Abs/cases.yaml", "Dropout/22.yaml", "Dropout/cases.yaml"]
    lines = text.splitlines()
    assert sorted(lines[:-1]) == sorted(f"specs/ai.onnx/{p}" for p in [*begun, "index.yaml"])
    index = installed.project.text(INDEX)
    assert "  Abs: {versions: [13]}\n" in index
    assert "  Dropout: {versions: [13, 22]}\n" in index
    assert installed.document()["versions"] == {}


def test_an_operator_that_an_index_refuses_is_no_news(installed: Installed):
    installed.call("news", "--record")
    refused = HERE.replace(
        "operators:\n", "operators:\n  Abs: {versions: [13], refused: it is too easy}\n"
    )
    installed.project.put(INDEX, refused)
    installed.of(("Abs", 13))
    code, text = installed.call("news")
    assert code == 0
    assert "without a spec on purpose: ai.onnx: Abs: it is too easy\n" in text
    assert installed.call("import", "--new") == (0, "files: 0, gaps: 0\n")


def test_an_older_onnx_has_no_news(installed: Installed):
    installed.release("1.16.0")
    code, text = installed.call("news")
    assert (code, text) == (0, "onnx 1.16.0 is older than the specs, so it has no news\n")


def test_a_test_that_no_record_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    suite = {"listed": "Tile", "new": "Tile", "uncounted": "Constant", "shared": "Loop"}
    cases = [
        SimpleNamespace(name=name, model=SimpleNamespace(graph=graph_of(operator)))
        for name, operator in suite.items()
    ]
    monkeypatch.setattr("onnx.backend.test.loader.load_model_tests", lambda kind: cases)
    for operator, tests, models in (("Tile", ["listed"], 9), ("Constant", [], 0), ("Loop", [], 7)):
        section = {"tests": dict.fromkeys(tests, 13), "versions": {"13": {"models": models}}}
        path = tmp_path / "ai.onnx" / f"{operator}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"onnx_tests": section}), encoding="utf-8")
    checked = checked_tree()
    specs = [version.spec for version in checked.versions]
    found = onnx_news.news(specs, checked.indexes, default_sources().specs, tmp_path)
    assert found.tests == ["new", "shared"]


def graph_of(operator: str) -> SimpleNamespace:
    """A graph of one node."""
    return SimpleNamespace(node=[SimpleNamespace(domain="", op_type=operator)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["import"], "name an OPERATOR, or say --new for all that have no spec"),
        (["import", "Abs", "--new"], "--new takes --specs alone; it imports all that is missing"),
    ],
)
def test_a_wrong_import_is_refused(arguments: list[str], message: str):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert message in result.stderr
