"""``opmill.onnx_reference``: the operators inside of onnx's ReferenceEvaluator."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

import opmill
from opmill.onnx_backend import UnsupportedOperatorError
from opmill.onnx_reference import operators

X = np.array([[1, 2], [3, 4]], np.float32)


def evaluator(text: str) -> ReferenceEvaluator:
    return ReferenceEvaluator(parser.parse_model(text), new_ops=operators())


def model(opset: int, node: str, inputs: str = "float[a, b] x, int64[r] n") -> str:
    return (
        f'<ir_version: 8, opset_import: ["": {opset}]> g ({inputs}) => (float[c, d] y) {{ {node} }}'
    )


def test_there_is_a_class_for_each_operator():
    found = {(cls.op_domain, cls.__name__) for cls in operators()}
    supported = {(domain, name) for domain, name, _ in opmill.operators()}
    assert found == {("" if domain == "ai.onnx" else domain, name) for domain, name in supported}
    assert ("", "Tile") in found
    assert operators() == operators()
    assert operators() is not operators()


@pytest.mark.parametrize("opset", [1, 5])
def test_an_old_opset_gets_the_old_version(opset):
    inputs = "float[a, b] x, float[1] tiles, float[1] axis"
    tile = evaluator(model(opset, "y = Tile(x, tiles, axis)", inputs))
    feeds = {"x": X, "tiles": np.array([2], np.float32), "axis": np.array([1], np.float32)}
    (y,) = tile.run(None, feeds)
    assert y.tolist() == [[1, 2, 1, 2], [3, 4, 3, 4]]


@pytest.mark.parametrize(("opset", "version"), [(6, 6), (12, 6), (13, 13), (28, 13)])
def test_the_opset_decides_the_version(opset, version):
    tile = evaluator(model(opset, "y = Tile(x, n)"))
    assert tile.run(None, {"x": X, "n": np.array([1, 2])})[0].shape == (2, 4)
    words = f"^node 'Tile' of ai.onnx: Tile-{version}: repeats has 1 value, expected 2"
    with pytest.raises(opmill.OpError, match=words):
        tile.run(None, {"x": X, "n": np.array([1])})


def test_types_are_those_of_the_version():
    x, n = X.astype(ml_dtypes.bfloat16), np.array([1, 1])
    assert evaluator(model(13, "y = Expand(x, n)")).run(None, {"x": x, "n": n})[0].dtype == x.dtype
    with pytest.raises(opmill.TypeConstraintError, match="Expand-8: input has type "):
        evaluator(model(12, "y = Expand(x, n)")).run(None, {"x": x, "n": n})


def test_ours_stand_among_the_evaluator_s_own_and_in_subgraphs():
    text = """<ir_version: 8, opset_import: ["": 13]>
    g (float[a, b] x, int64[r] n, bool c) => (float[d, e] y) {
        m = Neg(x)
        t = If(c) <
            then_branch = one () => (float[f, h] p) { p = Tile(m, n) },
            else_branch = two () => (float[f, h] q) { q = Identity(m) }
        >
        y = Abs(t)
    }"""
    either = evaluator(text)
    for condition, shape in ((True, (4, 2)), (False, (2, 2))):
        feeds = {"x": X, "n": np.array([2, 1]), "c": np.array(condition)}
        (y,) = either.run(None, feeds)
        assert y.shape == shape
        assert (y > 0).all()


def test_attributes_and_absent_inputs_reach_the_operator():
    # onnx.reference raises for groups of several channels; ours computes.
    text = """<ir_version: 8, opset_import: ["": 22]>
    g (float[1, 2, 2] x, float[2, 2, 2] w) => (float[1, m, l] y) {
        y = ConvTranspose <group = 2, strides = [2]> (x, w, "")
    }"""
    x = np.array([[[1, 2], [3, 4]]], np.float32)
    w = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], np.float32)
    (y,) = evaluator(text.replace(', ""', "")).run(None, {"x": x, "w": w})
    assert y.tolist() == [[[1, 2, 2, 4], [3, 4, 6, 8], [15, 18, 20, 24], [21, 24, 28, 32]]]


def test_a_linked_attribute_of_a_function_reaches_the_operator():
    text = """<opset_import: ["": 22], domain: "own">
    Up <stride> (x, w) => (y) { y = ConvTranspose <strides: ints = @stride> (x, w) }"""
    function = ReferenceEvaluator(parser.parse_function(text), new_ops=operators())
    x, w = np.array([[[1, 2]]], np.float32), np.array([[[1]]], np.float32)
    (y,) = function.run(None, {"x": x, "w": w}, attributes={"stride": [2]})
    assert y.tolist() == [[[1, 0, 2]]]


@pytest.mark.parametrize(
    ("error", "words", "node"),
    [
        (
            opmill.AttributeValueError,
            "ConvTranspose-11: attribute 'strides' has kind INT, expected INTS",
            "y = ConvTranspose <strides = 2> (x, x)",
        ),
        (
            opmill.AttributeValueError,
            "Tile-6: attribute 'axis' is unknown, expected none",
            "y = Tile <axis = 1> (x, n)",
        ),
        (ValueError, "Expand is not in opset 7", "y = Expand(x, n)"),
    ],
)
def test_what_is_not_legal_is_refused_when_the_evaluator_is_made(error, words, node):
    with pytest.raises(error, match=words):
        evaluator(model(7 if "Expand" in node else 12, node))


def test_a_version_that_is_not_supported_is_an_error(monkeypatch):
    from opmill._onnx import catalog

    supported = {key: module for key, module in catalog.MODULES.items() if key[2] != 6}
    monkeypatch.setattr(catalog, "MODULES", supported)
    with pytest.raises(UnsupportedOperatorError, match=r"node 'Tile' needs Tile-6 of ai\.onnx"):
        evaluator(model(12, "y = Tile(x, n)"))
