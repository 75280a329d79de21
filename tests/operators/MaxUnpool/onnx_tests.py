"""Errors in ONNX's tests of MaxUnpool."""

CORRECTED = {
    "test_maxunpool_export_with_output_shape": [
        [[[0, 0, 0, 0, 0], [5, 0, 6, 0, 0], [0, 0, 0, 7, 0], [8, 0, 0, 0, 0], [0, 0, 0, 0, 0]]]
    ],
}
"""The test of 1.23.2 expects indices to count in a smaller tensor than the output, which has
``output_shape``; onnx-weekly 1.24.0.dev20261026 has other indices."""
