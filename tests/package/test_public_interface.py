"""The public interface is what the page of versions and the references list, and nothing else."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import opmill
from opmill_gen.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")


def test_the_page_lists_every_command():
    assert re.findall(r"^\| `opmill (\w+)` \|", PAGE, re.MULTILINE) == sorted(COMMANDS)


def test_names_without_an_underscore_are_public_or_modules_of_operators():
    """``test_reference.py`` compares the names themselves with the reference."""
    packages = {
        path.stem for path in (ROOT / "generated" / "python" / "opmill").iterdir()
        if not path.name.startswith("_")
    }  # fmt: skip
    assert [name for name in dir(opmill) if name.startswith("_")] == []
    modules = {"conformance", "onnx_backend", "onnx_reference", "onnxruntime_ops"}
    assert modules <= packages
    others = {name for name in packages - modules - {"py"} if not hasattr(opmill, name)}
    assert others == set()


def test_versions_and_python_are_those_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    major, minor, _ = project["version"].split(".")
    assert f"`find_package(opmill {major}.{minor})`" in PAGE
    assert f"Python {project['requires-python'].removeprefix('>=')} and newer" in PAGE
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {project['version']}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
