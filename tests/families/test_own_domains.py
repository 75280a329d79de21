"""Every family serves operators of other names, in other domains, the newest version alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from opmill_gen.load.sources import default_sources
from opmill_gen.pipeline import checked_input
from opmill_gen.spec.case_text import text_of_version
from opmill_gen.yaml_reader.tree import Entries, parse_yaml

pytestmark = pytest.mark.slow

DOMAIN = "com.example"
SPECS = [
    max(folder.glob("[0-9]*.yaml"), key=lambda path: int(path.stem))
    for folder in sorted(default_sources().specs.glob("ai.onnx/*/"))
]


def cases_of(path: Path) -> str:
    """The cases of a version as those of the only one."""
    text = path.with_name("cases.yaml").read_text()
    tree = parse_yaml("cases.yaml", text)
    assert isinstance(tree, Entries)
    return text_of_version(text, tree, int(path.stem), frozenset({"onnx_test", "rests_on"}))


def renamed(path: Path) -> tuple[str, str]:
    """A version as the only one of an operator of one's own, and that operator's name."""
    name = f"My{path.parent.name}{path.stem}"
    text = path.read_text()
    text = re.sub(r"^operator: .*$", f"operator: {name}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^domain: .*$", f"domain: {DOMAIN}", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^(source|python_name): .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^changes:\n(?:(?:  .*)?\n)+", "", text, flags=re.MULTILINE), name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    specs = tmp_path_factory.mktemp("own") / "specs"
    for path in SPECS:
        text, name = renamed(path)
        put(specs / DOMAIN / name, path, text)
    return specs


def put(folder: Path, path: Path, text: str) -> None:
    """Write the text of a version, and its cases beside it."""
    folder.mkdir(parents=True)
    (folder / path.name).write_text(text)
    (folder / "cases.yaml").write_text(cases_of(path))


def test_each_version_is_taken(folder: Path) -> None:
    checked = checked_input(replace(default_sources(), specs=folder))
    assert len(checked.versions) == len(SPECS)


def test_an_attribute_may_always_have_a_value(tmp_path: Path) -> None:
    """Check attributes that may be absent in the version that identifies the family."""
    path = default_sources().specs / "ai.onnx" / "Concat" / "1.yaml"
    text, name = renamed(path)
    changed = text.replace("    kind: INT\n", "    kind: INT\n    default: 1\n")
    assert changed != text
    put(tmp_path / "specs" / DOMAIN / name, path, changed)
    checked = checked_input(replace(default_sources(), specs=tmp_path / "specs"))
    assert [version.spec.operator for version in checked.versions] == [name]
