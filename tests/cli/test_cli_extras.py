"""The command line without packages that its extras bring."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import onnx
import onnx.parser
import pytest

import opmill_gen
from small_project import (
    Project,
)

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
SCRIPT = """
import sys
sys.modules.update(dict.fromkeys(sys.argv.pop(1).split(), None))
sys.argv[0] = "opmill"
from {module} import {function} as command
command()
"""
IMPORTED = {"pyyaml": "yaml"}
"""By a distribution, the name by which it is imported where that is another one."""


def needs_of(extra: str) -> set[str]:
    """The modules that an extra brings."""
    names = (re.split("[<>=]", need)[0] for need in PROJECT["optional-dependencies"][extra])
    return {IMPORTED.get(name, name) for name in names}


def without(modules: set[str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The installed command in a process that cannot import some modules."""
    module, _, function = PROJECT["scripts"]["opmill"].partition(":")
    script = SCRIPT.format(module=module, function=function)
    return subprocess.run(
        [sys.executable, "-c", script, " ".join(sorted(modules)), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(opmill_gen.__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_command_line_without_its_dependencies(tmp_path: Path):
    """As in an environment that has the wheel alone: the installed command says what to install."""
    done = without(needs_of("cli"), tmp_path, "--help")
    assert (done.returncode, done.stdout) == (1, "")
    start = "Error: the command line needs the package click; install it with: pip install '"
    assert done.stderr.startswith(start)
    assert set(re.findall(r"'([\w-]+)", done.stderr)) == {
        re.match(r"[\w-]+", need)[0] for need in PROJECT["optional-dependencies"]["cli"]
    }


FOR_USERS = [
    ["--help"],
    ["list"],
    ["show", "Blend"],
    ["diff", "Blend", "1", "1"],
    ["verify"],
    ["inspect", "model.onnx"],
    ["run", "model.onnx", "--trace"],
    ["export", "tests", "--operator", "Not"],
    ["conformance", "opmill", "--operator", "Not-1", "--jobs", "1"],
    ["new", "Mix", "1", "--domain", "com.example"],
    ["schema", "spec"],
]


@pytest.mark.parametrize("arguments", FOR_USERS, ids=lambda arguments: arguments[0])
def test_what_users_of_models_need_comes_with_the_small_extra(tmp_path: Path, arguments: list[str]):
    Project(tmp_path)
    model = "agraph (float[2] x) => (float[2] y) { y = Relu(x) }"
    onnx.save(onnx.helper.make_model_gen_version(parsed(model)), tmp_path / "model.onnx")
    assert needs_of("cli") <= needs_of("generator")
    assert "onnx>=1.16,<2" in PROJECT["optional-dependencies"]["cli"]
    done = without(needs_of("generator") - needs_of("cli"), tmp_path, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout


def parsed(text: str) -> onnx.GraphProto:
    return onnx.parser.parse_graph(text)


def test_generate_with_the_small_extra_says_what_to_install(tmp_path: Path):
    Project(tmp_path)
    done = without(needs_of("generator") - needs_of("cli") | {"jinja2"}, tmp_path, "generate")
    assert (done.returncode, done.stdout) == (2, "")
    start = "generate needs the package jinja2; install it with: pip install '"
    assert done.stderr.startswith(start)
    assert "'jinja2" in done.stderr
    assert not (tmp_path / "generated").exists()
