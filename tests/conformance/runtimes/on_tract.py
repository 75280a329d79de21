"""tract: the model is loaded from a file, analysed and run by its Python binding."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import networks
import tract
from onnx import ModelProto

__version__ = version("tract")


class Backend:
    """tract on the CPU."""

    @staticmethod
    def prepare(model: ModelProto, device: str = "CPU") -> networks.Network:
        """Return the model, ready to run."""
        return networks.Network(model, compute)


def compute(model: ModelProto, inputs: Sequence[Any]) -> Sequence[Any]:
    """Load a model and run it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        path.write_bytes(model.SerializeToString())
        loaded = tract.onnx().load(str(path))
    runnable = loaded.into_model().into_runnable()
    return [one.to_numpy() for one in runnable.run(list(inputs))]
