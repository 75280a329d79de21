"""Shared parts of importers of networks: they expect weights and shapes as constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onnx import ModelProto, numpy_helper

Compute = Callable[[ModelProto, Sequence[Any]], Sequence[Any]]
"""Imports a model and computes its outputs from a value for each input."""


class Network:
    """A prepared model: imported as it is, or with all inputs but the first as constants.

    Args:
        model: the model, whose inputs are all free.
        compute: imports a model and runs it.
    """

    def __init__(self, model: ModelProto, compute: Compute) -> None:
        self._model, self._compute = model, compute

    def run(self, inputs: Sequence[Any]) -> Sequence[Any]:
        """Return the outputs.

        Args:
            inputs: a value for each input.
        """
        try:
            return self._compute(self._model, inputs)
        except Exception:
            if len(inputs) < 2:
                raise
        return self._compute(with_constants(self._model, inputs), inputs[:1])


def with_constants(model: ModelProto, inputs: Sequence[Any]) -> ModelProto:
    """Return the model with every input but the first as a constant.

    Args:
        model: the model.
        inputs: a value for each input.
    """
    frozen = ModelProto()
    frozen.CopyFrom(model)
    graph = frozen.graph
    graph.initializer.extend(
        numpy_helper.from_array(array, one.name)
        for one, array in zip(graph.input[1:], inputs[1:], strict=True)
    )
    del graph.input[1:]
    return frozen


def outputs_of(model: ModelProto, found: Any, to_array: Callable[[Any], Any]) -> Sequence[Any]:
    """Return an array for each output, a list of arrays for a sequence.

    Args:
        model: the model.
        found: what the runtime returns: a value or, of several outputs, a list of values.
        to_array: converts a tensor of the runtime.
    """
    values = [found] if len(model.graph.output) == 1 else list(found)
    if len(values) == 1 and not _is_sequence(model) and not hasattr(found, "shape"):
        values = list(found)  # a list of the only output
    return [
        to_array(one) if hasattr(one, "shape") else [to_array(item) for item in one]
        for one in values
    ]


def _is_sequence(model: ModelProto) -> bool:
    return bool(model.graph.output[0].type.HasField("sequence_type"))
