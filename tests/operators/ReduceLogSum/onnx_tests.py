"""ONNX's tests of ReduceLogSum, in the words of the versions whose axes are an attribute."""

from __future__ import annotations

from onnx_rewrites import with_axes_as_attributes

REWRITES = with_axes_as_attributes("ReduceLogSum", 1, 11, 13, before=18)
