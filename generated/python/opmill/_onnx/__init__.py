"""ONNX models and their parts, read into what this package computes with. Needs the onnx package.

Its public part is in ``opmill.onnx_backend``, ``opmill.onnx_reference`` and
``opmill.onnxruntime_ops``.
"""

from __future__ import annotations

from opmill._needed import needed

needed("onnx", "what reads ONNX models", "onnx>=1.16,<2")
