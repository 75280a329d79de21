"""Operators for onnxruntime, through the Python operators of onnxruntime-extensions::

    from opmill.onnxruntime_ops import Session

    session = Session(model, replace=["ConvTranspose"])
    (y,) = session.run(None, {"X": x})

opmill computes two kinds of nodes in such a model, onnxruntime all others:

* nodes of the domain ``opmill``, whose names are operator versions: ``Tile_1``,
  ``ConvTranspose_22``. They have the inputs, attributes and types of that version. The model
  imports ``opmill`` at opset 1.
* nodes of the operators that ``replace`` names, at the version that the model's opset asks for.

Supported are models of opset 7 and newer, as in onnxruntime itself; operators whose inputs and
outputs are tensors and not variadic; attributes that are numbers, texts, or lists of these; nodes
of the main graph. Elements can be float, double, integers of 8 to 64 bits, bool and string.
float16 and bfloat16 (from opset 13) are passed as float between two Casts and computed in their own
type; only the payload of a NaN may change. onnxruntime has no complex numbers.

If a node refuses its inputs, the run fails and ``Session.run`` raises the ``OpError``.
"""

from __future__ import annotations

from opmill._model.errors import ModelError, UnsupportedOperatorError
from opmill._onnx.ort_carriers import DOMAIN
from opmill._onnx.ort_lowering import lowered, node_names
from opmill._onnx.ort_session import Session, register

__all__ = [
    "DOMAIN",
    "ModelError",
    "Session",
    "UnsupportedOperatorError",
    "lowered",
    "node_names",
    "register",
]
