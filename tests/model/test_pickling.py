"""Models that are pickled and copied: the same results, in other processes too."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest
from onnx import StringStringEntryProto, TensorProto, defs, parser

import opmill
from opmill._onnx import builder

X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5

NETWORKS = {
    "constants and functions": """
    <ir_version: 9, opset_import: ["": 18, "own": 1]>
    g (float[2, 3] x) => (float[2, 3] y) <float[3] w = {1, 2, 3}> {
        a = Exp(w)  b = own.F(x)  y = Add(a, b) }
    <opset_import: ["": 18], domain: "own"> F (a) => (c) { c = Neg (a) }""",
    "a loop that reads a weight from outside": """
    <ir_version: 8, opset_import: ["": 18]>
    g (float[2, 3] x) => (float[2, 3] y, float[a, b, c] z) <float[3] w = {1, 2, 3}, int64 n = {3}> {
        y, z = Loop <body = b (int64 i, bool c, float[2, 3] v) => (bool c, float[2, 3] u,
            float[2, 3] t) { u = Add(v, w)  t = Neg(u) }> (n, , x) }""",
    "a branch and packed weights": """
    <ir_version: 8, opset_import: ["": 18]>
    g (float[2, 3] x) => (float[2, 2] y) <float[3, 2] w = {1, 2, 3, 4, 5, 6}, bool c = {1}> {
        y = If <then_branch = t () => (float[2, 2] r) { r = MatMul(x, w) },
            else_branch = e () => (float[2, 2] q) { q = MatMul(x, w) }> (c) }""",
}


def copies(model):
    return {
        "pickle": pickle.loads(pickle.dumps(model)),
        "deepcopy": copy.deepcopy(model),
        "copy": copy.copy(model),
        "twice": pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model)))),
    }


def agree(model, other):
    assert (other.inputs, other.outputs, other.opsets) == (
        model.inputs,
        model.outputs,
        model.opsets,
    )
    expected, found = model.run([X]), other.run([X])
    assert found.keys() == expected.keys()
    for one, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, wanted)


@pytest.mark.parametrize("network", NETWORKS)
def test_copies_compute_the_same(network):
    model = opmill.Model(parser.parse_model(NETWORKS[network]))
    model.run([X])
    for other in copies(model).values():
        assert other is not model
        agree(model, other)


def test_weights_cannot_be_written_to_afterwards():
    """Check that returned constants are copies, since constants cannot be written to."""
    text = """
    <ir_version: 8, opset_import: ["": 18]>
    g (float[2, 3] x) => (float[3] y) <float[3] w = {1, 2, 3}> { y = Identity(w) }"""
    for other in copies(opmill.Model(parser.parse_model(text))).values():
        other.run([X])["y"][...] = 7
        assert other.run([X])["y"].tolist() == [1, 2, 3]
        assert not any(one.flags.writeable for one in other._graph.constants.values())


def test_external_data_and_options_are_part_of_a_copy(tmp_path):
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 18]>
    g (float[2, 3] x) => (float[2, 3] y) <float[3] w = {1, 2, 3}> { y = Add(x, w) }""")
    tensor = model.graph.initializer[0]
    tensor.CopyFrom(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3]))
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.append(StringStringEntryProto(key="location", value="w.data"))
    (tmp_path / "w.data").write_bytes(np.array([1, 2, 3], np.float32).tobytes())
    loaded = opmill.Model(model, folder=tmp_path, max_bytes=23)
    data = pickle.dumps(loaded)
    (tmp_path / "w.data").unlink()
    for other in (pickle.loads(data), copy.deepcopy(loaded)):
        with pytest.raises(opmill.ModelError, match="max_bytes"):
            other.run([X])


def test_a_fallback_and_fused_nodes_are_part_of_a_copy(monkeypatch):
    resolve = builder.resolve

    def without_sin(place, name, domain, opset):
        if name != "Sin":
            return resolve(place, name, domain, opset)
        version = defs.get_schema(name, opset).since_version
        return opmill.Missing(place, name, domain, version, opset)

    monkeypatch.setattr(builder, "resolve", without_sin)
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (float[2, 3] x) => (float[2, 3] y) { a = Neg(x)  y = Sin(a) }"""
    for runtime in ("onnxruntime", "reference"):
        model = opmill.Model(parser.parse_model(text), fallback=runtime)
        model.run([X])
        for other in copies(model).values():
            assert other.missing == model.missing
            agree(model, other)
    fused = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 13]>
        g (uint8[2, 2] a) => (uint8[2, 2] y)
        <float s = {0.5}, uint8 z = {128}, int8[2, 2] b = {1, 2, 3, 4}, int8 b_z = {0}> {
            af = DequantizeLinear(a, s, z)
            bf = DequantizeLinear(b, s, b_z)
            product = MatMul(af, bf)
            y = QuantizeLinear(product, s, z)
        }"""),
        fuse_qdq=True,
    )
    a = np.array([[1, 200], [130, 7]], np.uint8)
    for other in copies(fused).values():
        with other.trace() as trace:
            found = other.run([a])["y"]
        assert [node.operator for node in trace.nodes] == ["QLinearMatMul-10"]
        np.testing.assert_array_equal(found, fused.run([a])["y"])


def test_attributes_of_a_subclass_are_part_of_a_copy():
    model = Named(parser.parse_model(NETWORKS["constants and functions"]))
    model.label = "mine"
    for other in copies(model).values():
        assert (type(other), other.label) == (Named, "mine")
        agree(model, other)


class Named(opmill.Model):
    """A model of a user's own class."""


def computed(model, x):
    return model.run([x])["y"]


def test_processes_that_are_spawned_run_a_model():
    model = opmill.Model(parser.parse_model(NETWORKS["a branch and packed weights"]))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(computed, (model, X))
    np.testing.assert_array_equal(found, model.run([X])["y"])


def test_errors_can_be_pickled():
    missing = [opmill.Missing("node 0", "Own", "own", 1, 2)]
    error = pickle.loads(pickle.dumps(opmill.UnsupportedOperatorError(missing)))
    assert error.missing == tuple(missing)
    assert str(error) == str(opmill.UnsupportedOperatorError(missing))
