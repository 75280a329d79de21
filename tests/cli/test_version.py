"""``opmill version``: what a report of a fault needs."""

from __future__ import annotations

import json
import platform
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

import opmill
from opmill_gen.cli import main as cli
from opmill_gen.cli.version import versions
from opmill_gen.emit.settings import OPMILL_VERSION

ROOT = Path(__file__).resolve().parents[2]


def test_json_names_all_versions():
    result = CliRunner().invoke(cli.main, ["version", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["ok"] is True
    for name in ("numpy", "ml_dtypes", "onnx", "onnxruntime"):
        assert document[name] == metadata.version(name)
    assert platform.python_version() in document["python"]
    assert document["machine"] == platform.machine()
    assert document["backend"] == document["backends"][0]
    assert document["instruction_set"] in document["instruction_sets"]


def test_text_has_one_line_for_each_fact(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPMILL_THREADS", "2")
    lines = CliRunner().invoke(cli.main, ["version"]).stdout.splitlines()
    assert lines[0] == f"opmill: {opmill.__version__}"
    assert "environment: OPMILL_THREADS=2" in lines


def test_absent_packages_and_a_broken_native_module_are_reported(monkeypatch: pytest.MonkeyPatch):
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    def broken() -> tuple[str, ...]:
        raise ImportError("libc.so.6: version 'GLIBC_2.99' not found")

    monkeypatch.setattr(metadata, "version", absent)
    document = versions(
        SimpleNamespace(
            __version__="0", backends=lambda: ("c",), instruction_sets=broken, Error=opmill.Error
        )
    )
    assert document["onnx"] is None
    assert document["problem"] == "ImportError: libc.so.6: version 'GLIBC_2.99' not found"


def test_every_part_has_the_version_of_pyproject():
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    assert version == OPMILL_VERSION
    library = (ROOT / "generated" / "c" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"project(opmill VERSION {version} " in library
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## {version}" in changes
