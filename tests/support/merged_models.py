"""Several models as one, each with names of its own, for runtimes that are slow to read a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onnx import ModelProto, compose

FIELDS = ("node", "input", "output", "initializer", "value_info")


def prefix(number: int) -> str:
    """The prefix of a model's names."""
    return f"model{number}_"


def merged(models: Sequence[ModelProto]) -> ModelProto:
    """One model that computes all of them, which have the same opsets and the same IR version."""
    result = ModelProto()
    for number, model in enumerate(models):
        assert not model.functions
        assert not model.graph.sparse_initializer
        assert model.opset_import == models[0].opset_import
        assert model.ir_version == models[0].ir_version
        own = compose.add_prefix(model, prefix(number))
        if not number:
            result.CopyFrom(own)
            continue
        for field in FIELDS:
            getattr(result.graph, field).extend(getattr(own.graph, field))
    return result


def merged_feeds(feeds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The inputs of all models by their names in the merged one."""
    return {
        prefix(number) + name: value
        for number, given in enumerate(feeds)
        for name, value in given.items()
    }


def separated(models: Sequence[ModelProto], results: Sequence[Any]) -> list[list[Any]]:
    """The outputs of each model, from all outputs of the merged one."""
    counts = [len(model.graph.output) for model in models]
    assert len(results) == sum(counts)
    rest = iter(results)
    return [[next(rest) for _ in range(count)] for count in counts]
