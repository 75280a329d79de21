"""Compiled networks of every kind: built in one program, run, and compared bit by bit."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import opmill
from c_library import BUILD, FOLDER, compiler, library
from compiled_program import MODELS, build_all, networks
from opmill._compile.verify import compare, observations

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

_OPTIONS = ("-DOPMILL_STANDARD_C", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Werror",
            f"-I{FOLDER}/include", f"-I{FOLDER}/src")  # fmt: skip


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """All networks, with the library that other tests have built."""
    library()
    (shared,) = BUILD.glob("libopmill-*.so")
    linked = (shared, f"-Wl,-rpath,{BUILD}")
    return build_all(networks(), tmp_path_factory.mktemp("networks"), _OPTIONS, linked)


@pytest.mark.parametrize("name", MODELS)
def test_every_node_has_the_bits_of_the_model(program, name):
    found = networks()[name]
    ran = subprocess.run([program, name], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    compare(found.net, found.expected, list(observations(ran.stdout)))


@pytest.mark.parametrize("name", MODELS)
def test_the_vectors_are_those_of_the_model(name):
    found = networks()[name]
    model = opmill.Model(MODELS[name], fuse_qdq=name.startswith("fused_"))
    for case in found.cases:
        with opmill.use_instruction_set("plain"):
            outputs = model.run(case.inputs)
        for expected, output in zip(case.outputs, outputs, strict=True):
            np.testing.assert_array_equal(expected, output)
            assert (expected.shape, expected.tobytes()) == (output.shape, output.tobytes())


@pytest.mark.parametrize("name", MODELS)
def test_the_arena_is_at_most_5_percent_larger_than_the_lower_bound(name):
    report = networks()[name].project().report
    assert report["arena"] <= 1.05 * report["lower_bound"]
