"""Runs ONNX models and nodes through ONNX's backend interface. Needs the onnx package::

    from opmill.onnx_backend import OnnxBackend

    prepared = OnnxBackend.prepare(onnx.load("model.onnx"))
    (y,) = prepared.run([x])

A model runs as ``opmill.Model`` runs it, each node at the operator version that its opset imports
ask for. Values are tensors of any element type; sequences of them, which are lists of arrays; and
optionals of either, which are their contents or ``None``. Not supported, and refused with an error:
operator versions that this package lacks, maps, and external data, which ``onnx.load`` reads in.

``opmill.use_backend`` and ``OPMILL_BACKEND`` choose what computes. What the backend ``c`` does not
compute, as sequences, NumPy computes.
"""

from __future__ import annotations

from opmill._model.errors import FeedError, Missing, ModelError, UnsupportedOperatorError
from opmill._onnx.backend import OnnxBackend, PreparedModel

__all__ = [
    "FeedError",
    "Missing",
    "ModelError",
    "OnnxBackend",
    "PreparedModel",
    "UnsupportedOperatorError",
]
