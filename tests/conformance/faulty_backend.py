"""A backend with planted faults, as the tests of the kit need one: each fault is a class."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from opmill.onnx_backend import OnnxBackend


class Prepared:
    """A model whose outputs, computed rightly, a fault changes."""

    def __init__(self, model: ModelProto, fault: Any) -> None:
        self._prepared, self._fault, self._model = OnnxBackend.prepare(model), fault, model

    def run(self, inputs: Any) -> Any:
        return self._fault(self._model, inputs, self._prepared.run(inputs))


def axis_order(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """A transposed result has the order of its input: right wherever nothing moves."""
    return [inputs[0].reshape(outputs[0].shape)]


def transpose_order(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """A transposed result has the order of its input, in models of that node alone."""
    if model.graph.node[0].op_type != "Transpose":
        return outputs
    return axis_order(model, inputs, outputs)


def float16_rounds_down(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """Results of float16 lose their last bits."""
    return [
        (one.view(np.uint16) & 0xFFF0).view(np.float16) if one.dtype == np.float16 else one
        for one in outputs
    ]


def no_scalars(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """A scalar becomes an array of one element."""
    return [one.reshape(1) if one.ndim == 0 else one for one in outputs]


def ends(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """The process ends on an empty tensor."""
    if any(one.size == 0 for one in inputs):
        os._exit(9)
    return outputs


def hangs(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """The call never returns for an empty tensor."""
    while any(one.size == 0 for one in inputs):
        time.sleep(1)
    return outputs


def hangs_once(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """The call never returns while the file that the environment names is missing."""
    path = Path(os.environ["HANGS_ONCE"])
    if not path.exists():
        path.touch()
        time.sleep(1000)
    return outputs


def hangs_with_child(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """The call waits for a process, whose id it writes to the file that the environment names."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"]) as child:
        Path(os.environ["CHILD"]).write_text(str(child.pid), "utf-8")
    return outputs


def open_order(model: ModelProto, inputs: Any, outputs: Any) -> Any:
    """Reverse the order of outputs where ``sorted`` is 0, which ONNX allows."""
    given = {one.name: one.i for one in model.graph.node[0].attribute}
    return [one[..., ::-1] for one in outputs] if given.get("sorted") == 0 else outputs


def backend(fault: Any) -> Any:
    """A class with ONNX's interface that has a fault."""
    return type(
        "Backend", (), {"prepare": staticmethod(lambda model, device: Prepared(model, fault))}
    )


class WithoutDevice:
    """A backend whose ``prepare`` lacks the parameter ``device`` of ONNX's interface."""

    @staticmethod
    def prepare(model: ModelProto) -> Prepared:
        """Prepare a model; the kit passes one argument more."""
        return Prepared(model, no_scalars)


AxisOrder = backend(axis_order)
TransposeOrder = backend(transpose_order)
Float16RoundsDown = backend(float16_rounds_down)
NoScalars = backend(no_scalars)
Ends = backend(ends)
Hangs = backend(hangs)
HangsWithChild = backend(hangs_with_child)
HangsOnce = backend(hangs_once)
OpenOrder = backend(open_order)


class SinAsCos:
    """A backend that computes Cos for Sin, in graphs and functions too."""

    @staticmethod
    def prepare(model: ModelProto, device: str) -> Any:
        text = model.SerializeToString().replace(b"\x22\x03Sin", b"\x22\x03Cos")
        return OnnxBackend.prepare(ModelProto.FromString(text))


def of_loops(factor: float) -> Any:
    """Results of a Loop, in models of that node alone, are multiplied."""

    def fault(model: ModelProto, inputs: Any, outputs: Any) -> Any:
        return [one * np.float32(factor) for one in outputs] if _is_loop(model) else outputs

    return fault


def _is_loop(model: ModelProto) -> bool:
    return bool(model.graph.node[0].op_type == "Loop")


LoopsRound = backend(of_loops(1.005))
LoopsDouble = backend(of_loops(2))


class AnyCall:
    """A backend that computes every call, valid or not: each output is the first input."""

    def __init__(self, model: ModelProto) -> None:
        self._outputs = len(model.graph.output)

    @classmethod
    def prepare(cls, model: ModelProto, device: str) -> Any:
        return cls(model)

    def run(self, inputs: Any) -> Any:
        return [inputs[0]] * self._outputs
