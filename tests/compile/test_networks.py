"""Compiled networks of every kind: built in one program, run, and compared bit by bit."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import opmill
from c_library import BUILD, FOLDER, compiler, library
from compiled_networks import NETWORKS, names, proto
from opmill._compile.compile import prepared
from opmill._compile.verify import compare, observations

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(compiler() is None, reason="needs a C compiler"),
]

MODELS = {**{name: proto(source) for name, source in NETWORKS.items()}, "names": names()}
_FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-DOPMILL_STANDARD_C")


@cache
def projects():
    """Each network: what it is, its project whose calls report their outputs, and their values."""
    return {name: prepared(model, prefix=name) for name, model in MODELS.items()}


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """A program with all networks; the argument names the one that runs."""
    folder = tmp_path_factory.mktemp("networks")
    sources = []
    for name, found in projects().items():
        for path, content in found.project(observed=True).files.items():
            if not path.startswith("opmill/"):
                target = folder / name / path
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content)
        # One source for a network: its static names must not collide with those of others.
        parts = [f'#include "{name}/{one}"' for one in (f"{name}.c", f"{name}_weights.c", "test.c")]
        text = "\n".join([f"#define main main_{name}", f"int main_{name}(void);", *parts])
        (folder / f"{name}.c").write_text(text + "\n")
        sources.append(f"{name}.c")
    declared = "".join(f"int main_{name}(void);\n" for name in MODELS)
    calls = "".join(f'    if (!strcmp(argv[1], "{n}")) return main_{n}();\n' for n in MODELS)
    main = f"#include <string.h>\n{declared}int main(int argc, char **argv) {{\n"
    (folder / "all.c").write_text(f"{main}    (void)argc;\n{calls}    return 9;\n}}\n")
    library()
    (shared,) = BUILD.glob("libopmill-*.so")
    command = [compiler(), *_FLAGS, f"-I{FOLDER}/include", f"-I{FOLDER}/src", "-I.", *sources,
               "all.c", str(shared), f"-Wl,-rpath,{BUILD}", "-lm", "-o", "all"]  # fmt: skip
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return folder / "all"


@pytest.mark.parametrize("name", MODELS)
def test_every_node_has_the_bits_of_the_model(program, name):
    found = projects()[name]
    ran = subprocess.run([program, name], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    compare(found.net, found.expected, list(observations(found.net, ran.stdout)))


@pytest.mark.parametrize("name", MODELS)
def test_the_vectors_are_those_of_the_model(name):
    found = projects()[name]
    with opmill.use_instruction_set("plain"):
        outputs = opmill.Model(MODELS[name]).run(found.inputs)
    for expected, output in zip(found.expected[-1], outputs, strict=True):
        np.testing.assert_array_equal(expected, output)
        assert expected.tobytes() == output.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_the_arena_is_at_most_5_percent_larger_than_the_lower_bound(name):
    report = projects()[name].project().report
    assert report["arena"] <= 1.05 * report["lower_bound"]
