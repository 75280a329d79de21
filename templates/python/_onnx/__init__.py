"""ONNX models and their parts, read into what this package computes with. Needs the onnx package.

What is public of it stands in ``opmill.onnx_backend``, ``opmill.onnx_reference`` and
``opmill.onnxruntime_ops``.
"""

from __future__ import annotations

from opmill._needed import needed

needed("onnx", "what reads ONNX models", "onnx")
