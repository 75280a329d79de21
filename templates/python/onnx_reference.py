"""Operators for onnx's ReferenceEvaluator, each at the version that the model's opset asks for.

    from onnx.reference import ReferenceEvaluator
    from opmill.onnx_reference import operators

    evaluator = ReferenceEvaluator(model, new_ops=operators())

The evaluator finds a class by domain and operator alone, so there is one class an operator, and an
instance of it takes the version that is in force at the opset which its graph imports. A version
that is not milled is an error when the evaluator is made, rather than a neighbour version.
"""

from __future__ import annotations

from opmill._onnx.reference import operators

__all__ = ["operators"]
