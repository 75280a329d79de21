"""Compiled networks with their own sources: under sanitizers, by CMake, with vectors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import opmill
from c_library import compiler
from compiled_program import MODELS, build_all, networks
from opmill._compile.compile import prepared
from opmill._compile.verify import compare, observations, verify

pytestmark = [
    pytest.mark.sanitized,
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

_OPTIONS = ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
            "-Iopmill/include", "-Iopmill/src")  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """All networks, and the sources that their projects name."""
    return build_all(tmp_path_factory.mktemp("networks"), _OPTIONS, ())


@pytest.mark.parametrize("name", MODELS)
def test_sanitizers_find_nothing(program, name):
    found = networks()[name]
    ran = subprocess.run([program, name], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr.decode()) == (0, "")
    compare(found.net, found.expected, list(observations(found.net, ran.stdout)))


@pytest.mark.parametrize("name", ["cnn", "qlinear", "lstm", "transformer"])
def test_vectors_and_packed_weights(name):
    isa = opmill.instruction_sets()[0]
    found = prepared(MODELS[name], prefix=name, isa=isa)
    verify(found.net, found.project(observed=True), found.expected)


def test_cmake_builds_and_tests_a_project(tmp_path):
    opmill.compile(MODELS["qdq"], tmp_path)
    for command in (
        ["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", "build", "-j", "2"],
        ["ctest", "--test-dir", "build", "--output-on-failure"],
    ):
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
