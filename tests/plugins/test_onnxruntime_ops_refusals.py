"""Refusals of ``opmill.onnxruntime_ops``: at a run, and before it."""

from __future__ import annotations

import logging
import subprocess
import sys

import numpy as np
import onnxruntime as ort
import pytest
from onnx import parser

import opmill
from onnxruntime_models import TILE, X, double_conv, model, quiet, refused, run
from opmill._onnx.ort_carriers import signatures
from opmill.onnxruntime_ops import (
    ModelError,
    Session,
    UnsupportedOperatorError,
    lowered,
    node_names,
    register,
)
from unsupported import unsupported

pytestmark = pytest.mark.slow

# What is refused at a run


def test_a_refusal_is_the_operator_s_own_error_and_the_session_goes_on():
    session = Session(TILE, options=quiet())
    for _ in range(2):
        with pytest.raises(opmill.ShapeError) as caught:
            session.run(None, {"x": X, "n": np.array([-1, 1])})
        assert (
            str(caught.value) == "node 0 of ai.onnx: Tile-13: repeats[0] is -1, expected at least 0"
        )
        assert session.run(None, {"x": X, "n": np.array([1, 1])})[0].tolist() == [[1, 2]]


@pytest.mark.parametrize("element", ["string", "bool", "float16"])
def test_a_refusal_ends_the_run_whatever_the_type(element):
    given = model("y = opmill.Tile_13(x, n)", f"{element}[a] x, int64[r] n", f"{element}[c] y")
    x = {
        "string": np.array(["a"], object),
        "bool": np.array([True]),
        "float16": np.array([1], np.float16),
    }[element]
    with pytest.raises(
        opmill.ShapeError, match=r"repeats has 2 values, expected 1 \(the rank of input\)"
    ):
        run(given, {"x": x, "n": np.array([1, 1])})


def test_onnxruntime_s_own_errors_stay_what_they_are():
    session = Session(TILE, options=quiet())
    with pytest.raises(Exception, match="INVALID_ARGUMENT"):
        session.run(None, {"x": X, "n": np.array([1, 1], np.int32)})


def test_without_a_session_of_ours_the_run_fails_and_the_reason_is_logged(caplog):
    options = quiet()
    register(options)
    plain = ort.InferenceSession(lowered(TILE).SerializeToString(), options)
    with (
        caplog.at_level(logging.ERROR, "opmill"),
        pytest.raises(Exception, match="opmill refuses the inputs of node 0"),
    ):
        plain.run(None, {"x": X, "n": np.array([1])})
    (logged,) = caplog.messages
    assert (
        logged == "node 0 of ai.onnx: Tile-13: repeats has 1 value, expected 2 (the rank of input)"
    )


# What is refused before


FLOATS = ("float[a, b] x, int64[r] n", "float[c, d] y")


@pytest.mark.parametrize(
    ("words", "given", "replace"),
    [
        (
            "node 0: the domain opmill has no 'Tile_2'; it has " + ", ".join(node_names()),
            model("y = opmill.Tile_2(x, n)", *FLOATS),
            (),
        ),
        (
            "the domain opmill has the version 1, not 2",
            model("y = opmill.Tile_13(x, n)", *FLOATS, more='"opmill": 2'),
            (),
        ),
        ("there is no operator 'Tiel' to replace", TILE, ["Tiel"]),
        (
            "the model imports ai.onnx at opset 6, and onnxruntime supports opsets from 7; in a "
            "newer model, a node of the domain opmill has any version",
            model("y = opmill.Tile_13(x, n)", *FLOATS, opset=6),
            (),
        ),
        (
            "node 0: complex64 cannot be handed over by onnxruntime",
            model("y = opmill.Tile_13(x, n)", "complex64[a] x, int64[r] n", "complex64[c] y"),
            (),
        ),
        (
            "node 0: bfloat16 needs a model of opset 13 or newer, for Cast",
            model("y = opmill.Tile_13(x, n)", "bfloat16[a] x, int64[r] n", "bfloat16[c] y", 12),
            (),
        ),
        (
            "node 1: the type of 'q' is not known; declare it in value_info",
            model(
                "q = com.example.Some(x) y = opmill.Tile_13(q, n)",
                *FLOATS,
                more='"opmill": 1, "com.example": 1',
            ),
            (),
        ),
        (
            "node 0: Tile-13 takes 2 inputs and gives 1 outputs, got 3 and 1",
            model("y = opmill.Tile_13(x, n, n)", *FLOATS),
            (),
        ),
        (
            "node 0: Tile-13 takes 2 inputs and gives 1 outputs, got 2 and 2",
            model("y, z = opmill.Tile_13(x, n)", *FLOATS),
            (),
        ),
        (
            "node 0: Tile-13 needs the input repeats",
            model("y = opmill.Tile_13(x)", *FLOATS),
            (),
        ),
        (
            "node 0 holds a node 'Tile'; opmill can compute nodes of the main graph only",
            model(
                "y = If (c) <then_branch = p () => (float[e, f] u) { u = Tile(x, n) },"
                " else_branch = q () => (float[e, f] v) { v = Identity(x) }>",
                "float[a, b] x, int64[r] n, bool c",
                "float[c, d] y",
            ),
            ["Tile"],
        ),
        ("model has type bytes, expected onnx.ModelProto", b"", ()),
    ],
)
def test_what_cannot_be_handed_over_is_refused(words, given, replace):
    refused(ModelError, words, given, replace)


def test_functions_may_not_hold_nodes_of_ours():
    given = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 13, "own": 1]>
    g (float[a, b] x, int64[r] n) => (float[c, d] y) { y = own.Twice(x, n) }
    <opset_import: ["": 13], domain: "own"> Twice (p, q) => (r) { r = Tile(p, q) }
    """)
    words = "function 'Twice' holds a node 'Tile'; opmill can compute nodes of the main graph only"
    refused(ModelError, words, given, ["Tile"])


def test_types_and_attributes_that_are_not_legal_are_refused():
    given = model("y = opmill.Expand_8(x, n)", "int8[a] x, int32[r] n", "int8[c] y")
    words = "node 0 of ai.onnx: Expand-8: shape has type int32, expected int64"
    refused(opmill.TypeConstraintError, words, given)
    given = double_conv("opmill.ConvTranspose_22")
    given.graph.node[2].attribute[0].name = "stride"
    words = (
        "node 2 of ai.onnx: ConvTranspose-22: attribute 'stride' is unknown, expected one of "
        "auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads, strides"
    )
    refused(opmill.AttributeValueError, words, given)


def test_what_is_to_be_replaced_must_be_supported(monkeypatch):
    (lacking,) = unsupported(monkeypatch, 1)
    refused(
        UnsupportedOperatorError,
        f"node 0 needs {lacking.operator}-{lacking.at(13)} of ai.onnx (opset 13): not supported "
        "yet; opmill.operators() lists what is, and opmill.Model with fallback='onnxruntime' "
        "computes the others by onnxruntime",
        model(f"y = {lacking.operator}(x)", "float[a, b] x", "float[a, b] y"),
        [lacking.operator],
    )


def test_parallel_execution_is_refused():
    options = quiet()
    options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
    with pytest.raises(ValueError, match="need onnxruntime's sequential execution mode"):
        Session(TILE, options=options)


def test_every_signature_is_registered_once():
    found = signatures(opmill.operator("ConvTranspose", 22).schema)
    assert [signature.inputs for signature in found] == [("double",) * 3, ("float",) * 3]
    tile = signatures(opmill.operator("Tile", 13).schema)
    assert len(tile) == len(set(tile)) == 12


def test_without_onnxruntime_extensions_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['onnxruntime_extensions'] = None\n"
        "try:\n"
        "    import opmill.onnxruntime_ops\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "opmill.onnxruntime_ops needs the package onnxruntime_extensions" in done.stdout
    assert "pip install 'onnxruntime-extensions>=0.15,<0.16'" in done.stdout
