"""The seam between backends and the stages: who may import what, and a third backend."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

from checked_tree import checked_tree
from opmill_gen.base.cache import Figures
from opmill_gen.check.result import Checked, CheckedVersion
from opmill_gen.emit import plan
from opmill_gen.emit.artifact import Artifact
from opmill_gen.emit.backend import Backend
from opmill_gen.emit.backends import BACKENDS
from opmill_gen.emit.docs import coverage, coverage_page, pages
from opmill_gen.emit.settings import Settings
from opmill_gen.load.test_records import Records

PACKAGE = Path(plan.__file__).resolve().parents[1]
CHECKED = checked_tree()


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize(
    ("importers", "imported", "allowed"),
    [
        (".", "opmill_gen.emit.c", ("emit/c/", "emit/backends.py")),
        ("emit/python", "opmill_gen.emit.backends", ()),
        ("check", "opmill_gen.emit", ()),
        ("rule_language", "opmill_gen.check", ()),
        ("base", "opmill_gen", ("base/",)),
    ],
)
def test_stages_ask_the_backends(importers: str, imported: str, allowed: tuple[str, ...]):
    files = sorted((PACKAGE / importers).rglob("*.py"))
    assert files
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in files
        for name in imports(path)
        if f"{name}.".startswith(f"{imported}.") and not name.startswith("opmill_gen.base")
    }
    assert {path for path in found if not path.startswith(allowed or ("-",))} == set()


class Shouted(Backend):
    """A backend of the first version alone: a file that names it."""

    name = BACKENDS[0].name
    title = "Shouted"
    language = "Shout"

    def gap(self, version: CheckedVersion) -> str | None:
        return None if version == CHECKED.versions[0] else "too loud"

    def files(
        self, checked: Checked, copied: Mapping[str, tuple[str, ...]], settings: Settings
    ) -> Iterator[Artifact]:
        for version in checked.versions:
            if self.gap(version) is None:
                path = PurePosixPath("shouted", f"{version.spec.label}.txt")
                yield Artifact(path, "LICENSE")

    def declaration(self, version: CheckedVersion, package: str) -> str:
        return f"{package.upper()} {version.spec.label.upper()}"


def test_a_third_backend_is_one_more_object(monkeypatch: pytest.MonkeyPatch):
    for module in (plan, coverage, coverage_page, pages):
        monkeypatch.setattr(module, "BACKENDS", (*BACKENDS[1:], Shouted()))
    copied = dict.fromkeys(("c", "native", "python", "tests", "docs"), ())
    planned = plan.plan(CHECKED, copied, Settings(), Records(), Figures({}))
    first, second = CHECKED.versions[:2]
    shouted = [file.path.name for file in planned if file.path.parts[0] == "shouted"]
    assert shouted == [f"{first.spec.label}.txt"]
    assert next(iter(coverage.types_of(first))).gaps == {}
    assert next(iter(coverage.types_of(second))).gaps == {"numpy": "too loud"}
    context = pages.version_context(first, None, None, "opmill.abs.v1", None, _places(first))
    declared = context["declarations"][-1]
    assert (declared["language"], declared["gap"]) == ("Shout", "")
    assert f"OPMILL {first.spec.label.upper()}" in declared["text"]


def _places(version: CheckedVersion) -> dict[tuple[str, str], str]:
    cases = (*version.spec.examples, *version.spec.rejects)
    return {(version.spec.label, case.name): "anchor" for case in cases}
