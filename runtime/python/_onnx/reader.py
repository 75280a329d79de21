"""Reads a model: from a file, from bytes or from a message, into a graph that can be planned."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from onnx import FunctionProto, ModelProto

from opmill._model.budget import NO_LIMITS, Limits
from opmill._model.errors import Missing, ModelError, check_text, shown
from opmill._model.graph import Graph, chosen_outputs, live_nodes
from opmill._onnx.builder import GraphBuilder
from opmill._onnx.catalog import domain_name
from opmill._onnx.elsewhere import Lacking
from opmill._onnx.functions import check_function
from opmill._onnx.names import FunctionKey, Model, Names
from opmill._onnx.nodes import newer_opset, opsets_of
from opmill._onnx.outside import MAX_MODEL, Folder, open_model_file
from opmill._onnx.wire import Block, split
from opmill._runtime.operator import Operator

Source = str | os.PathLike[str] | bytes | ModelProto


@dataclass(frozen=True, slots=True)
class ReadModel:
    """A model that has been read.

    Args:
        graph: its graph.
        opsets: the version of each domain that it imports.
        missing: the nodes that the fallback computes, or nothing.
        newer: the opsets that are newer than those known here, in words.
        notes: what is not as ONNX demands it, the first of each kind.
        numbers: of the values of the graph, by name.
    """

    graph: Graph
    opsets: dict[str, int]
    missing: tuple[Missing, ...]
    newer: tuple[str, ...]
    notes: tuple[str, ...]
    numbers: Mapping[str, int]


def read_graph(
    source: Source,
    folder: str | os.PathLike[str] | None = None,
    fallback: str | None = None,
    outputs: Sequence[str] | None = None,
    limits: Limits = NO_LIMITS,
) -> ReadModel:
    """Read a model, and resolve every node of it.

    Args:
        source: see ``opmill.Model``.
        folder: where files with data outside of the model are.
        fallback: what computes nodes that nothing here computes.
        outputs: the names of the outputs that are needed; ``None`` for all.
        limits: what reading may take.

    Raises:
        OSError: a file cannot be read.
        ModelError: the model is not valid, or holds what is not supported.
        FeedError: it has no output of such a name.
        OpError: a node's attributes are not legal, or it is given a sequence or an optional that
            it does not take.
    """
    model, blocks = _message_and_blocks(source)
    folder = folder_of(source) if folder is None else folder
    try:
        opsets = opsets_of(model.opset_import, "the model")
        shared = Model(_functions(model), Folder(folder), fallback, limits, blocks)
        names = Names(opsets, None, "", (), 0, True)
        builder = GraphBuilder(shared, names)
        graph = builder.graph(model.graph)
        graph = graph if outputs is None else _only(graph, outputs)
    except UnicodeDecodeError:
        raise ModelError("the model has a name that is no UTF-8 text") from None
    except RecursionError:
        raise ModelError("graphs are nested too deeply") from None
    imports = (one for part in (model, *model.functions) for one in part.opset_import)
    newer = tuple(filter(None, dict.fromkeys(map(newer_opset, imports))))
    notes = tuple(shared.notes.values())
    return ReadModel(graph, opsets, tuple(_lacking(graph)), newer, notes, names.numbers)


def message_of(source: Source) -> ModelProto:
    """The model as a message.

    Raises:
        OSError: a file cannot be read.
        ModelError: it is no model.
    """
    if isinstance(source, ModelProto):
        return _with_graph(source, "the model")
    with _opened(source) as file:
        return _parsed(file.read(), source)


def _message_and_blocks(source: Source) -> tuple[ModelProto, dict[int, Block]]:
    """As ``message_of``, without the data of large initializers, and these by their positions."""
    if isinstance(source, ModelProto):
        return message_of(source), {}
    with _opened(source) as file:
        parts = split(file)
        if parts is None:
            file.seek(0)
            parts = file.read(), {}
    return _parsed(parts[0], source), parts[1]


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    """The bytes of a model as a file; see ``message_of``."""
    if isinstance(source, (str, os.PathLike)):
        with open_model_file(source) as file:
            yield file
    elif isinstance(source, bytes):
        if len(source) > MAX_MODEL:
            raise ModelError(f"the model has {len(source)} bytes, expected at most {MAX_MODEL}")
        yield io.BytesIO(source)
    else:
        raise ModelError(
            f"the model has type {type(source).__name__}, expected a path, bytes or an "
            "onnx.ModelProto"
        )


def _parsed(data: bytes, source: Source) -> ModelProto:
    what = shown(os.fspath(source)) if isinstance(source, (str, os.PathLike)) else "the model"
    if len(data) > MAX_MODEL:
        raise ModelError(f"the model has {len(data)} bytes, expected at most {MAX_MODEL}")
    try:
        model: ModelProto = ModelProto.FromString(data)
    except (DecodeError, UnicodeDecodeError):
        raise ModelError(f"{what} is no ONNX model: it is not in ONNX's binary format") from None
    return _with_graph(model, what)


def _with_graph(model: ModelProto, what: str) -> ModelProto:
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
        check_function(function)
        found[key] = function
    return found


def _only(graph: Graph, names: Sequence[str]) -> Graph:
    """The graph with some of its outputs."""
    positions = {declared.name: position for position, declared in enumerate(graph.outputs)}
    chosen = chosen_outputs(names, positions)
    return replace(
        graph,
        outputs=tuple(graph.outputs[position] for position in chosen),
        results=tuple(graph.results[position] for position in chosen),
    )


def _lacking(graph: Graph) -> Iterator[Missing]:
    """Report unsupported nodes that the results need, in their order."""
    for node in live_nodes(graph.nodes, graph.results):
        if isinstance(node.operator, Lacking):
            yield node.operator.missing
        elif not isinstance(node.operator, Operator):
            for inner in node.operator.subgraphs():
                yield from _lacking(inner)
