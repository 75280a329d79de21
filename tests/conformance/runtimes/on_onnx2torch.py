"""onnx2torch: the model is converted to a module of torch, which runs on the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import networks
import torch
import vision_operators  # noqa: F401, declares what the next import expects
from onnx import ModelProto

import onnx2torch  # isort: skip

__version__ = version("onnx2torch")


class Backend:
    """onnx2torch, and torch on the CPU with one thread."""

    @staticmethod
    def prepare(model: ModelProto, device: str = "CPU") -> networks.Network:
        """Return the model, ready to run."""
        torch.set_num_threads(1)
        return networks.Network(model, compute)


def compute(model: ModelProto, inputs: Sequence[Any]) -> Sequence[Any]:
    """Convert a model and run it."""
    module = onnx2torch.convert(model).eval()
    with torch.no_grad():
        found = module(*(torch.from_numpy(array) for array in inputs))
    return networks.outputs_of(model, found, torch.Tensor.numpy)
