"""A network of onnxruntime's dynamic quantizer whose layer is DynamicQuantizeLSTM."""

import numpy as np
import onnx
import pytest

import opmill

runtime = pytest.importorskip("onnxruntime")
pytest.importorskip("onnxruntime.quantization")
quantized_lstm = pytest.importorskip("quantized_lstm")


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_network(tmp_path, direction: str, per_channel: bool):
    path = tmp_path / "quantized.onnx"
    quantized_lstm.write_network(path, direction, per_channel)
    assert "DynamicQuantizeLSTM" in [node.op_type for node in onnx.load(path).graph.node]
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    X = np.random.default_rng(3).standard_normal((9, 2, 12)).astype(np.float32)
    expected = session.run(None, {"X": X})
    for backend in ("c", "numpy"):
        with opmill.use_backend(backend):
            found = opmill.Model(path).run({"X": X})
        for name, value in zip(("Z", "H"), expected, strict=True):
            # a state between two numbers of its quantization can become either
            np.testing.assert_allclose(found[name], value, rtol=0, atol=2e-3)
