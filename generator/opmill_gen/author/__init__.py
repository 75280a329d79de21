"""Begins new specs: imported from onnx, blank, or copied."""
