"""Compiled networks with their own sources: under sanitizers, by CMake, with vectors."""

from __future__ import annotations

import subprocess

import pytest

import opmill
from c_library import compiler
from compiled_networks import NETWORKS, names, proto
from opmill._compile.compile import prepared
from opmill._compile.verify import build, compare, observations, verify

pytestmark = [
    pytest.mark.sanitized,
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

MODELS = {**{name: proto(source) for name, source in NETWORKS.items()}, "names": names()}
_SANITIZED = ("-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
              "-Wall", "-Wextra", "-Iopmill/include", "-Iopmill/src", "-I.")  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_sanitizers_find_nothing(tmp_path, name):
    found = prepared(MODELS[name], prefix=name)
    program = build(tmp_path, found.project(observed=True), _SANITIZED)
    ran = subprocess.run([program], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stderr == b""
    compare(found.net, found.expected, list(observations(found.net, ran.stdout)))


@pytest.mark.parametrize("name", ["cnn", "qlinear", "lstm", "transformer"])
@pytest.mark.parametrize("isa", opmill.instruction_sets())
def test_vectors_and_packed_weights(name, isa):
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
