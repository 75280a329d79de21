"""Apache TVM: Relax imports the model and compiles it for LLVM; its virtual machine runs it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import networks
import tvm
from onnx import ModelProto
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

__version__ = version("apache-tvm")


class Backend:
    """TVM on the CPU, without tuning."""

    @staticmethod
    def prepare(model: ModelProto, device: str = "CPU") -> networks.Network:
        """Return the model, ready to run."""
        return networks.Network(model, compute)


def compute(model: ModelProto, inputs: Sequence[Any]) -> Sequence[Any]:
    """Import a model, compile it and run it."""
    module = relax.transform.DecomposeOpsForInference()(from_onnx(model))
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    found = machine["main"](*(tvm.runtime.tensor(array) for array in inputs))
    return networks.outputs_of(model, found, lambda one: one.numpy())
