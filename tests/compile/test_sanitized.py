"""Compiled networks with their own sources: under sanitizers, by CMake, with vectors."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import opmill
from c_library import compiler
from compiled_program import MODELS, VECTORS, build_all, networks, vector_networks
from opmill._compile.verify import compare, observations

pytestmark = [
    pytest.mark.sanitized,
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

_INCLUDED = ("-Iopmill/include", "-Iopmill/src")
ALONE = ("reductions", "types", "bfloat16", "functions", "dynamic_quantize", "indices", "lstm",
         "old", "sums", "transformer")  # fmt: skip
"""Those whose library has the kernels of their types alone."""

_OPTIONS = ("-DOPMILL_STANDARD_C", "-O1", "-fsanitize=address,undefined",
            "-fno-sanitize-recover=all", *_INCLUDED)  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """All networks, and the sources that their projects name."""
    return build_all(networks(), tmp_path_factory.mktemp("networks"), _OPTIONS, ())


@pytest.mark.parametrize("name", MODELS)
def test_sanitizers_find_nothing(program, name):
    found = networks()[name]
    ran = subprocess.run([program, name], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr.decode()) == (0, "")
    compare(found.net, found.expected, list(observations(ran.stdout)))


@pytest.fixture(scope="module")
def vectors(tmp_path_factory) -> Path:
    """Networks for the best instruction set, and the sources that their projects name."""
    options = ("-O1", "-ffp-contract=off", "-fno-math-errno", *_INCLUDED)
    return build_all(vector_networks(), tmp_path_factory.mktemp("vectors"), options, ())


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_and_packed_weights(vectors, name):
    found = vector_networks()[name]
    ran = subprocess.run([vectors, name], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr.decode()) == (0, "")
    compare(found.net, found.expected, list(observations(ran.stdout)))


@pytest.mark.parametrize("name", ALONE)
def test_a_project_has_the_kernels_of_all_its_types(tmp_path, name):
    opmill.compile(MODELS[name], tmp_path, compact=True, check=True)


def test_cmake_builds_and_tests_a_project(tmp_path):
    opmill.compile(MODELS["qdq"], tmp_path)
    for command in (
        ["cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"],
        ["cmake", "--build", "build", "-j", "2"],
        ["ctest", "--test-dir", "build", "--output-on-failure"],
    ):
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
