"""Writes the networks as files of ONNX, the same ones every time."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch

from benchmarks.networks.definitions import NETWORKS


def export(folder: Path) -> list[Path]:
    """Write every network with random weights.

    Args:
        folder: where to; it is made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, network in NETWORKS.items():
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
        written.append(path)
    return written
