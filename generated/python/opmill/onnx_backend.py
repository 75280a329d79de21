"""Runs ONNX models and nodes through ONNX's backend interface. Needs the onnx package.

    from opmill.onnx_backend import OnnxBackend

    prepared = OnnxBackend.prepare(onnx.load("model.onnx"))
    (y,) = prepared.run([x])

A model runs as ``opmill.Model`` runs it, each node at the operator version that its opset imports
ask for. Values are tensors of any element type; sequences of them, which are lists of arrays; and
optionals of either, which are their contents or ``None``. Not supported, and refused with a
message: operator versions that this package lacks, sparse initializers, maps, and data outside of
the model, which ``onnx.load`` brings in.

The backend that computes is opmill's own choice: ``opmill.use_backend``, ``OPMILL_BACKEND``.
Values that C cannot hold, as sequences, are computed by NumPy on every backend.
"""

from __future__ import annotations

from opmill._model.errors import FeedError, Missing, ModelError, NotMilledError
from opmill._onnx.backend import OnnxBackend, PreparedModel

__all__ = [
    "FeedError",
    "Missing",
    "ModelError",
    "NotMilledError",
    "OnnxBackend",
    "PreparedModel",
]
