"""Operators for onnx's ReferenceEvaluator, each at the version that the model's opset selects::

    from onnx.reference import ReferenceEvaluator
    from opmill.onnx_reference import operators

    evaluator = ReferenceEvaluator(model, new_ops=operators())

The evaluator finds a class by domain and operator alone. So there is one class for each operator,
whose instances use the version that is in force at the opset which their graph imports. If that
version is not supported, creating the evaluator fails; no other version takes its place.
"""

from __future__ import annotations

from opmill._onnx.reference import operators

__all__ = ["operators"]
