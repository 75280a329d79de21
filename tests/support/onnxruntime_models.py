"""Models for ``opmill.onnxruntime_ops``, and runs of them."""

from __future__ import annotations

import numpy as np
import onnxruntime as ort
import pytest
from onnx import parser

from opmill.onnxruntime_ops import (
    Session,
    lowered,
)


def model(body, inputs, outputs, opset=13, more='"opmill": 1'):
    """A model of ONNX's own text."""
    imports = ", ".join(filter(None, [f'"": {opset}', more]))
    return parser.parse_model(
        f"<ir_version: 8, opset_import: [{imports}]> g ({inputs}) => ({outputs}) {{ {body} }}"
    )


def quiet() -> ort.SessionOptions:
    """Options of onnxruntime that do not print what goes wrong on purpose."""
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return options


def run(given, feeds, replace=()):
    return Session(given, replace, quiet()).run(None, feeds)


TILE = model("y = opmill.Tile_13(x, n)", "float[a, b] x, int64[r] n", "float[c, d] y")
X = np.array([[1, 2]], np.float32)


def refused(error, words, given, replace=()):
    with pytest.raises(error) as caught:
        lowered(given, replace)
    assert (type(caught.value), str(caught.value)) == (error, words)


CONV = """
    s = Neg(x)
    p = Neg(s)
    t = {conv} <strides = [2], auto_pad = "SAME_UPPER"> (p, w{bias})
    y = Relu(t)
"""


def double_conv(name, bias="", opset=22):
    inputs = "double[n, c, l] x, double[1, 1, 3] w" + (", double[1] b" if bias else "")
    return model(CONV.format(conv=name, bias=bias), inputs, "double[n, m, k] y", opset)
