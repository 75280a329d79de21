"""onnxruntime-web: the model runs in WebAssembly in Node, without graph optimisations."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

SCRIPT = Path(__file__).with_suffix(".mjs")
FOLDER = Path(sys.prefix, "web", "node_modules")
"""The folder in which ``make scoreboard`` installs onnxruntime-web."""


def _started() -> tuple[subprocess.Popen[str], str]:
    """Start Node, and return it with the version of onnxruntime-web."""
    # Node finds a package beside the script that imports it.
    text = SCRIPT.read_text("utf-8").replace(
        '"onnxruntime-web"', json.dumps((FOLDER / "onnxruntime-web/dist/ort.node.min.mjs").as_uri())
    )
    command = ["node", "--input-type=module", "--eval", text]
    node = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert node.stdout is not None
    return node, str(json.loads(node.stdout.readline()))


_NODE, __version__ = _started()


class Backend:
    """onnxruntime-web with one thread."""

    def __init__(self, model: ModelProto) -> None:
        self._model = model

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU") -> Backend:
        """Return the model, ready to run."""
        return cls(model)

    def run(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Return the outputs."""
        graph = self._model.graph
        call = {
            "model": base64.b64encode(self._model.SerializeToString()).decode(),
            "inputs": [_sent(i.name, one) for i, one in zip(graph.input, inputs, strict=True)],
            "outputs": [one.name for one in graph.output],
        }
        assert _NODE.stdin is not None
        assert _NODE.stdout is not None
        print(json.dumps(call), file=_NODE.stdin, flush=True)
        line = _NODE.stdout.readline()
        if not line:
            os.abort()  # Node has crashed, which counts as a crash of the runtime
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return [_received(*one) for one in reply["outputs"]]


def _sent(name: str, array: Any) -> list[Any]:
    if array.dtype == object:
        return [name, "string", list(array.shape), array.reshape(-1).tolist()]
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return [name, array.dtype.name, list(array.shape), data]


def _received(type_: str, dims: list[int], data: Any) -> Any:
    if type_ == "string":
        return np.array(data, object).reshape(dims)
    return np.frombuffer(base64.b64decode(data), type_).reshape(dims)
