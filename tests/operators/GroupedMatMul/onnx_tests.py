"""ONNX's own tests of GroupedMatMul: onnx 1.23.2, which has no opset 29, has none."""

UNTESTED = {29}
