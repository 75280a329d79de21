"""Operators for onnxruntime, through the Python operators of onnxruntime-extensions.

    from opmill.onnxruntime_ops import Session

    session = Session(model, replace=["ConvTranspose"])
    (y,) = session.run(None, {"X": x})

Opmill computes two kinds of nodes in such a model, onnxruntime all others:

* nodes of the domain ``opmill``, an operator version each: ``Tile_1``, ``ConvTranspose_22``, with
  the inputs, attributes and types of that version. The model imports ``opmill`` at opset 1.
* nodes of the operators that ``replace`` names, at the version that the model's opset asks for.

What works: models of opset 7 and newer, which is what onnxruntime runs; operators whose inputs and
outputs are tensors and not variadic; attributes that are numbers, texts, or lists of these; nodes
of the main graph. Elements can be float, double, integers of 8 to 64 bits, bool and string.
float16 and bfloat16 (from opset 13) travel as float between two Casts and are computed as what they
are; only the payload of a NaN may change. onnxruntime has no complex numbers.

A Python operator that raises ends the process, so none of these does: a node that refuses its
inputs makes the run fail, and ``Session.run`` raises the ``OpError``.
"""

from __future__ import annotations

from opmill._model.errors import ModelError, NotMilledError
from opmill._onnx.ort_carriers import DOMAIN
from opmill._onnx.ort_lowering import lowered, node_names
from opmill._onnx.ort_session import Session, register

__all__ = [
    "DOMAIN",
    "ModelError",
    "NotMilledError",
    "Session",
    "lowered",
    "node_names",
    "register",
]
