"""emx-onnx-cgen: the model is translated to C, which the C compiler of the machine builds."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import networks
from emx_onnx_cgen.onnx_backend import EmxOnnxCgenBackend
from onnx import ModelProto

__version__ = version("emx-onnx-cgen")


class Backend:
    """The backend of ONNX's tests that emx-onnx-cgen ships."""

    @staticmethod
    def prepare(model: ModelProto, device: str = "CPU") -> networks.Network:
        """Return the model, ready to run."""
        return networks.Network(model, compute)


def compute(model: ModelProto, inputs: Sequence[Any]) -> Sequence[Any]:
    """Translate a model, build it and run it."""
    found: Sequence[Any] = EmxOnnxCgenBackend.prepare(model).run(list(inputs))
    return found
