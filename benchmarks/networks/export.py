"""Writes the networks as files of ONNX, the same ones every time."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch
from onnxruntime import quantization
from onnxruntime.quantization.preprocess import quant_pre_process

from benchmarks.networks.definitions import NETWORKS


class _Examples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Inputs from which the ranges of a network's values are computed."""

    def __init__(self, examples: list[Any]) -> None:
        self._examples = examples

    def get_next(self) -> Any:
        return {"x": self._examples.pop()} if self._examples else None


def export(folder: Path, names: Iterable[str] = NETWORKS) -> list[Path]:
    """Write networks with random weights.

    Args:
        folder: where to; it is made.
        names: which.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name in names:
        network = NETWORKS[name]
        torch.manual_seed(1)
        model = network.make().eval()
        path = folder / f"{name}.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the older exporter, which writes older opsets
            torch.onnx.export(
                model,
                (network.example(),),
                str(path),
                dynamo=False,
                opset_version=network.opset,
                input_names=["x"],
                output_names=["y"],
            )
        if network.is_quantised:
            _quantise(path, [network.example().numpy() for _ in range(2)])
        written.append(path)
    return written


def _quantise(path: Path, examples: list[Any]) -> None:
    """Quantise a network in its place: uint8, weights int8 with a scale for each channel."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folded = Path(folder) / path.name  # constants that go through nodes are not quantised
        quant_pre_process(path, folded, skip_symbolic_shape=True)
        quantization.quantize_static(
            folded,
            path,
            _Examples(examples),
            quant_format=quantization.QuantFormat.QDQ,
            per_channel=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )
