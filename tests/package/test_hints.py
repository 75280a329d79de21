"""Hints of what to install name public packages, with the bounds of ``pyproject.toml``."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "runtime" / "python").rglob("*.py"))


def requirements():
    """Yield the requirements that the sources of the package pass to ``needed``."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "needed":
                yield path.name, node.args[2].value


@pytest.mark.parametrize(("file", "requirement"), list(requirements()))
def test_bounds_are_those_of_the_extras(file, requirement):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = {need for name in ("onnx", "onnxruntime", "compile", "cli") for need in extras[name]}
    assert requirement in users, file


def test_no_hint_names_an_extra_of_opmill():
    sources = [*SOURCES, *(ROOT / "generator").rglob("*.py")]
    assert not [path for path in sources if re.search(r"opmill\[\w", path.read_text())]
