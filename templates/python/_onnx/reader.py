"""Reads a model: from a file, from bytes or from a message, into a graph that can be planned."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import FunctionProto, ModelProto

from opmill._model.budget import NO_LIMITS, Limits
from opmill._model.errors import Missing, ModelError, check_text, shown
from opmill._model.graph import Graph, live_nodes
from opmill._onnx.builder import GraphBuilder
from opmill._onnx.catalog import domain_name
from opmill._onnx.elsewhere import Lacking
from opmill._onnx.names import FunctionKey, Model, Names
from opmill._onnx.nodes import opsets_of
from opmill._onnx.outside import MAX_MODEL, Folder, read_model_file
from opmill._runtime.operator import Operator

Source = str | os.PathLike[str] | bytes | ModelProto


@dataclass(frozen=True, slots=True)
class ReadModel:
    """A model that has been read.

    Args:
        graph: its graph.
        opsets: the version of each domain that it imports.
        missing: the nodes that the fallback computes, or nothing.
    """

    graph: Graph
    opsets: dict[str, int]
    missing: tuple[Missing, ...]


def read_graph(
    source: Source,
    folder: str | os.PathLike[str] | None = None,
    fallback: str | None = None,
    limits: Limits = NO_LIMITS,
) -> ReadModel:
    """Read a model, and resolve every node of it.

    Args:
        source: see ``opmill.Model``.
        folder: where files with data outside of the model are.
        fallback: what computes nodes that nothing here computes.
        limits: what reading may take.

    Raises:
        OSError: a file cannot be read.
        ModelError: the model is not valid, or holds what is not supported.
        OpError: a node's attributes are not legal, or it is given a sequence or an optional that
            it does not take.
    """
    model = message_of(source)
    folder = folder_of(source) if folder is None else folder
    try:
        opsets = opsets_of(model.opset_import, "the model")
        shared = Model(_functions(model), Folder(folder), fallback, limits)
        builder = GraphBuilder(shared, Names(opsets, None, "", (), 0, True))
        graph = builder.graph(model.graph)
    except UnicodeDecodeError:
        raise ModelError("the model has a name that is no UTF-8 text") from None
    return ReadModel(graph, opsets, tuple(_lacking(graph)))


def message_of(source: Source) -> ModelProto:
    """The model as a message.

    Raises:
        OSError: a file cannot be read.
        ModelError: it is no model.
    """
    if isinstance(source, ModelProto):
        return source
    if isinstance(source, (str, os.PathLike)):
        data, what = read_model_file(source), shown(os.fspath(source))
    elif isinstance(source, bytes):
        data, what = source, "the model"
    else:
        raise ModelError(
            f"the model has type {type(source).__name__}, expected a path, bytes or an "
            "onnx.ModelProto"
        )
    if len(data) > MAX_MODEL:
        raise ModelError(f"the model has {len(data)} bytes, expected at most {MAX_MODEL}")
    try:
        model: ModelProto = ModelProto.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise ModelError(f"{what} is no ONNX model: it is not in ONNX's binary format") from None
    if not model.HasField("graph"):
        raise ModelError(f"{what} is no ONNX model: it has no graph")
    return model


def folder_of(source: Source) -> str | None:
    """The folder of a model's file; ``None`` where the model does not come from one."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    return os.path.dirname(os.fspath(source)) or os.curdir


def _functions(model: ModelProto) -> dict[FunctionKey, FunctionProto]:
    """The model's own functions."""
    found: dict[FunctionKey, FunctionProto] = {}
    for function in model.functions:
        for text in (function.domain, function.name, function.overload):
            check_text(text, "the name of a function")
        key = (domain_name(function.domain), function.name, function.overload)
        if key in found:
            raise ModelError(f"the function {shown(function.name)} is given twice")
        found[key] = function
    return found


def _lacking(graph: Graph) -> Iterator[Missing]:
    """What the nodes lack that the results need, in their order."""
    for node in live_nodes(graph.nodes, graph.results):
        if isinstance(node.operator, Lacking):
            yield node.operator.missing
        elif not isinstance(node.operator, Operator):
            for inner in node.operator.subgraphs():
                yield from _lacking(inner)
