"""The networks of MLPerf Tiny on a Cortex-M7: code, stack and instructions have limits.

All figures but the instructions depend on the compiler and its libraries alone. The limits leave
slack for other versions of these than GCC 12.2, of which `benchmarks/results/microcontroller.md`
has the figures.
"""

from __future__ import annotations

import logging

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

import opmill
from benchmarks.microcontroller import target
from benchmarks.microcontroller.measure import OPMILL_HEADER
from benchmarks.microcontroller.networks import FLOAT, INTEGER, NETWORKS, forms
from compiled_networks import Source, proto

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not target.has_tools(), reason=f"needs {target.COMPILER}, {target.EMULATOR}"
    ),
]

_STACK = 512
_CODE = {
    "keyword spotting (DS-CNN)": {FLOAT: 6144, INTEGER: 4608},
    "visual wake words (MobileNetV1 0.25)": {FLOAT: 8192, INTEGER: 6656},
    "image classification (ResNet-8)": {FLOAT: 8192, INTEGER: 6144},
    "anomaly detection (autoencoder)": {FLOAT: 3072, INTEGER: 3072},
}
_EMX_INSTRUCTIONS = {
    "keyword spotting (DS-CNN)": {FLOAT: 24.6e6, INTEGER: 26.6e6},
    "visual wake words (MobileNetV1 0.25)": {FLOAT: 67.7e6, INTEGER: 75.4e6},
    "image classification (ResNet-8)": {FLOAT: 232.1e6, INTEGER: 233.0e6},
    "anomaly detection (autoencoder)": {FLOAT: 1.3e6, INTEGER: 3.9e6},
}
"""Of the code of emx-onnx-cgen 1.4.0, compiled by GCC 12.2 with -Os."""


@pytest.mark.parametrize(("nodes", "code"), [
    ("y = ReduceMax<axes=[1],keepdims=1>(x)", 16384),
    ("y = ReduceLogSumExp<axes=[1],keepdims=1>(x)", 24576),
    ("i = ArgMax<axis=1>(x) y = Cast<to=1>(i)", 2048),
    ("y = MatMul(x, w)", 24576),
])  # fmt: skip
def test_a_node_adds_the_kernels_of_its_types_alone(tmp_path, nodes, code):
    weights = {"w": np.ones((16, 1), np.float32)}
    model = proto(Source("float[4,16] x => float y", nodes, weights, 13))
    opmill.compile(model, tmp_path, prefix="net", compact=True)
    given = np.random.default_rng(3).standard_normal((4, 16)).astype(np.float32)
    with opmill.use_instruction_set("plain"):
        expected = opmill.Model(model).run({"x": given})[0]
    found = _on_target(tmp_path, given, expected)
    assert found["exact"] == 1
    assert found["code"] <= code


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_stay_within_their_limits(tmp_path, name):
    logging.getLogger().setLevel(logging.ERROR)  # onnxruntime's advice about preprocessing
    for form, path in forms(name, tmp_path):
        folder = tmp_path / form.split()[0]
        is_integer = form == INTEGER
        report = opmill.compile(path, folder, prefix="net", fuse_qdq=is_integer, compact=True)
        assert {node["kernel"] for node in report["nodes"]} == {"compact"}
        assert report["arena"] <= 1.05 * report["lower_bound"]
        (declared,) = opmill.Model(path).inputs
        given = np.random.default_rng(3).standard_normal(declared.type.dims).astype(np.float32)
        with opmill.use_instruction_set("plain"):
            expected = opmill.Model(path, fuse_qdq=is_integer).run({"x": given})[0]
        found = _on_target(folder, given, expected)
        assert found["exact"] == 1
        assert found["code"] <= _CODE[name][form], form
        assert found["stack"] <= _STACK, form
        assert found["instructions"] < _EMX_INSTRUCTIONS[name][form], form


def _on_target(folder, given, expected):
    """Build a project for the target and run it."""
    (folder / "network.h").write_text(OPMILL_HEADER, encoding="utf-8")
    target.write_vectors(folder, given, expected)
    sources = sorted(str(one.relative_to(folder)) for one in folder.rglob("*.c"))
    sources.remove("test.c")
    return target.flash_and_run(folder, sources, ["opmill/include", "opmill/src"])
