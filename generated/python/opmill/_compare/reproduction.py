"""Calls as folders of ONNX's test data: ``model.onnx`` and ``test_data_set_0``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import ModelProto, TensorProto

from opmill._onnx.protos import array_of
from opmill._onnx.tensors import sequence_of_arrays, tensor_of_array
from opmill._runtime.errors import Error

DATA = "test_data_set_0"
"""The folder of inputs and outputs in ONNX's tests."""


def check_new(folder: Path) -> None:
    """Refuse a folder that has contents.

    Raises:
        Error: it has.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Error(f"{folder} is not empty, expected a new or an empty folder")


def write_call(
    folder: Path, model: ModelProto, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> None:
    """Write a model with its inputs and expected outputs.

    Args:
        folder: a new or an empty folder.
        model: the model.
        inputs: the value of each input of the model.
        outputs: the value of each output.

    Raises:
        Error: the folder is not empty.
    """
    check_new(folder)
    data = folder / DATA
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    for kind, declared, values in (
        ("input", model.graph.input, inputs),
        ("output", model.graph.output, outputs),
    ):
        for position, one in enumerate(declared):
            value = values[one.name]
            if value is None:
                continue
            message = (
                sequence_of_arrays(value, one.name)
                if isinstance(value, list)
                else tensor_of_array(np.asarray(value), one.name)
            )
            text = message.SerializeToString(deterministic=True)
            (data / f"{kind}_{position}.pb").write_bytes(text)


def read_inputs(folder: Path) -> dict[str, Any]:
    """Return the tensors of ``input_0.pb`` and so on, by the names in them.

    Raises:
        Error: a file cannot be read, or there is none.
    """
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("input_*.pb")):
        try:
            tensor = TensorProto.FromString(path.read_bytes())
        except DecodeError:
            raise Error(f"{path} is no TensorProto, expected a tensor of a model's input") from None
        found[tensor.name] = array_of(tensor, str(path))
    if not found:
        raise Error(f"{folder} has no input_0.pb, expected inputs as ONNX's tests have them")
    return found
