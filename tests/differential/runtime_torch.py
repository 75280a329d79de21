"""PyTorch, whose functions are not ONNX's: ``tests/operators/OPERATOR/torch_call.py`` translates.

An operator without such a file is not compared with PyTorch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import torch

from differential.runtimes import RefusedByRuntime
from differential.versions import Version
from opmill.conformance._drawn import Drawn

TYPES = {
    np.dtype(getattr(np, name)): getattr(torch, name)
    for name in (
        "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
        "float16", "float32", "float64", "complex64", "complex128",
    )
} | {np.dtype(np.bool_): torch.bool, np.dtype(ml_dtypes.bfloat16): torch.bfloat16}  # fmt: skip

OPERATORS = Path(__file__).parents[1] / "operators"

Tensor = Any


class Torch:
    """PyTorch on the CPU, one thread."""

    name = "torch"

    def __init__(self) -> None:
        self.version: str = torch.__version__.partition("+")[0]
        torch.set_num_threads(1)

    def takes(self, version: Version, drawn: Drawn) -> bool:
        known = translation(version.schema.name)
        if known is None or drawn.raises is not None:
            return False
        if any(array is not None and array.dtype not in TYPES for array in drawn.inputs):
            return False
        return not hasattr(known, "takes") or bool(known.takes(drawn))

    def run(self, version: Version, drawn: Drawn) -> Sequence[Any]:
        count = len(version.schema.inputs)
        tensors = [None if array is None else as_tensor(array) for array in drawn.inputs]
        tensors += [None] * (count - len(tensors))
        try:
            result = translation(version.schema.name).call(*tensors, drawn.attributes)
        except (RuntimeError, NotImplementedError) as error:
            raise RefusedByRuntime(f"{type(error).__name__}: {error}") from None
        results = result if isinstance(result, tuple) else (result,)
        return [as_array(one) for one in results[: len(drawn.asked(version.schema))]]


def as_tensor(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor of the same bits."""
    plain = np.array(array, order="C")
    if plain.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(plain.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(plain)


def as_array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """An array of the same bits."""
    plain = tensor.contiguous()
    if plain.dtype == torch.bfloat16:
        return np.asarray(plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16))
    return np.asarray(plain.numpy())


@cache
def translation(operator: str) -> Any:
    """The module that translates an operator's calls; ``None`` where there is none."""
    path = OPERATORS / operator / "torch_call.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"torch_call_{operator}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
