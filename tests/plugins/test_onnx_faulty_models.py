"""Models with faults at random places: each one runs, or is refused by an error with a name.

The faults are drawn anew from the same seed each time, so a failure is reproducible.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import opmill
from faulty_models import spoiled
from opmill.onnx_backend import FeedError, ModelError, OnnxBackend
from opmill.onnxruntime_ops import lowered

pytestmark = pytest.mark.filterwarnings("ignore:opset .* is newer than")
REFUSALS = (ModelError, FeedError, opmill.OpError)

TILE = """
<ir_version: 8, opset_import: ["": 22, "opmill": 1]>
g (float[n, 1, 3] x, int64[r] shape) => (float[p, q, s] y, float[a, b, c, d] z)
    <float[1, 1, 2] w = {1, 2}, float[1] b = {100}> {
    t = ConvTranspose <strides = [2], auto_pad = "SAME_UPPER", group = 1> (x, w, b)
    k = Constant <value_ints = [1, 2, 1]> ()
    y = Tile(t, k)
    z = Expand(t, shape)
}"""
INPUTS = [np.ones((1, 1, 3), np.float32), np.array([2, 1, 1, 6])]

HELD = """
<ir_version: 8, opset_import: ["": 22]>
g (seq(float[n, 1]) x, optional(int64[r]) shape, float[n] z) => (seq(float[n, 1]) y, float[n] w) {
    t = Identity(x)
    y = Identity(t)
    k = Identity(shape)
    w = Identity(z)
}"""
HELD_INPUTS = [[np.ones((3, 1), np.float32)], None, np.ones(2, np.float32)]


def test_the_models_run_without_faults():
    y, z = OnnxBackend.run_model(parser.parse_model(TILE), INPUTS)
    assert (y.shape, z.shape) == ((1, 2, 6), (2, 1, 1, 6))
    y, w = OnnxBackend.run_model(parser.parse_model(HELD), HELD_INPUTS)
    assert [array.shape for array in (*y, w)] == [(3, 1), (2,)]


@pytest.mark.parametrize(
    ("start", "text", "inputs"), [(0, TILE, INPUTS), (200, TILE, INPUTS), (0, HELD, HELD_INPUTS)]
)
def test_the_backend_runs_a_faulty_model_or_names_the_fault(start, text, inputs):
    refused = 0
    for seed in range(start, start + 200):
        model = spoiled(seed, text)
        try:
            prepared = OnnxBackend.prepare(model)
            prepared.run(inputs[: len(prepared.input_names)])
        except REFUSALS:
            refused += 1
    assert 0 < refused < 200


def test_a_faulty_model_for_onnxruntime_is_lowered_or_its_fault_is_named():
    refused = 0
    for seed in range(200):
        model = spoiled(seed, TILE.replace("Tile", "opmill.Tile_13"))
        try:
            lowered(model, ["ConvTranspose", "Expand"])
        except REFUSALS:
            refused += 1
    assert 0 < refused < 200
