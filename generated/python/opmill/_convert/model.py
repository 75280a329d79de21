"""Whole models moved to another opset: graphs, the graphs inside their nodes, and functions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from onnx import (
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    inliner,
    numpy_helper,
    shape_inference,
)

from opmill._convert.bodies import SMALL, inlined, stub
from opmill._convert.facts import Refusal, Scope
from opmill._convert.fragment import Fresh
from opmill._convert.step import body_wanted, moved
from opmill._model.errors import ModelError
from opmill._onnx.catalog import MAIN_DOMAIN, domains
from opmill._onnx.nodes import opsets_of
from opmill._onnx.outside import Folder
from opmill._onnx.reader import Source, folder_of, message_of
from opmill._runtime.errors import Error
from opmill._runtime.progress import Progress, silent
from opmill._runtime.public import public

_OWN = ("", MAIN_DOMAIN)
_MAX_BODIES = 8
"""Maximum number of bodies inside of each other."""
_SIMPLE_IR, _FUNCTION_IR = 4, 8
"""The first IR versions with initializers that are no inputs, and with functions."""
_TYPED_CAST = 6
"""The first opset at which ONNX infers the type of the result of a Cast."""


@dataclass(frozen=True)
class Refused:
    """A node that cannot be moved, or the change of one that can.

    Args:
        node: its name, or its operator and first output.
        operator: its operator.
        opset: the opset at which the node still is.
        to: the next opset on the way.
        reason: why it cannot be moved; for a change, the operators that replace it.
    """

    node: str
    operator: str
    opset: int
    to: int
    reason: str

    def __str__(self) -> str:
        return f"{self.node}: {self.operator}, opset {self.opset} to {self.to}: {self.reason}"


@dataclass(frozen=True)
class Conversion:
    """The outcome of a conversion.

    Args:
        model: the converted model; not valid where a node was refused.
        source: the opset of the original.
        opset: the requested opset.
        reached: the last opset on the way at which no node was refused.
        refused: the nodes that cannot be moved.
        changed: the nodes that were replaced.
    """

    model: ModelProto
    source: int
    opset: int
    reached: int
    refused: tuple[Refused, ...]
    changed: tuple[Refused, ...]


@public
class ConversionError(Error, ValueError):
    """A model that cannot be moved to an opset; ``refused`` lists the nodes with their reasons."""

    def __init__(self, message: str, refused: Sequence[Refused], reached: int) -> None:
        super().__init__(message)
        self.refused = tuple(refused)
        self.reached = reached


@public
def convert(
    model: Source, opset: int, *, folder: str | os.PathLike[str] | None = None
) -> ModelProto:
    """Return a model that computes the same at another opset of ONNX's own domain.

    Args:
        model: a path, the bytes of a file, or an ``onnx.ModelProto``, which is not changed.
        opset: the opset.
        folder: where files with data outside of the model are; by default beside the model.

    Raises:
        ConversionError: some nodes cannot be moved; it lists all of them.
        ModelError: the model is not valid.
        OSError: a file cannot be read.
    """
    done = conversion(model, opset, folder=folder)
    if done.refused:
        lines = "".join(f"\n  {one}" for one in done.refused)
        raise ConversionError(
            f"{len(done.refused)} nodes cannot be moved to opset {opset}; the model reaches opset "
            f"{done.reached}:{lines}",
            done.refused,
            done.reached,
        )
    return done.model


def conversion(
    source: Source,
    opset: int,
    *,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> Conversion:
    """Move a model as far as possible; ``convert`` documents the arguments but ``progress``.

    That passes on the opsets from which the model moves."""
    newest = domains()[MAIN_DOMAIN].opset
    if not 1 <= opset <= newest:
        raise ModelError(f"opset is {opset}, expected 1 to {newest}")
    original = message_of(source)
    files = Folder(folder_of(source) if folder is None else folder)
    done = _Converter(original, files, progress).run(opset)
    if done.refused and original.functions:
        # A function says nothing of the types that its calls have.
        whole = inliner.inline_local_functions(original)
        done = _Converter(whole, files, progress).run(opset)
    return done


class _Converter:
    """A model on its way."""

    def __init__(self, model: ModelProto, folder: Folder, progress: Progress) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(model)
        self.folder = folder
        self.progress = progress
        self.taken = set(_all_names(self.model))
        self.used = set(_used_names(self.model))
        self.own = {(f.domain, f.name) for f in self.model.functions}
        self.refused: list[Refused] = []
        self.changed: list[Refused] = []
        self.stuck: set[str] = set()

    def run(self, opset: int) -> Conversion:
        source = _opset_of(self.model)
        reached = self._move(source, opset, self._model_step, lambda: self.model.graph.node)
        for function in self.model.functions:
            begun = _opset_of(function)
            nodes = partial(getattr, function, "node")
            got = self._move(begun, opset, self._function_step(function), nodes)
            if got != opset:
                reached = source
        self._finish(opset)
        return Conversion(
            self.model, source, opset, reached, tuple(self.refused), tuple(self.changed)
        )

    def _move(
        self, at: int, opset: int, step: Callable[[int, int], None], nodes: Callable[[], Any]
    ) -> int:
        """Go step by step; return the last opset before a node was refused."""
        direction = 1 if opset > at else -1
        reached, begun = at, len(self.refused)
        for number in self.progress("converting opsets", range(at, opset, direction)):
            to = number + direction
            if any(self._changes(node, number, to) for node in _deep(nodes())):
                step(number, to)
            if len(self.refused) == begun:
                reached = to
        return reached

    def _changes(self, node: NodeProto, opset: int, to: int) -> bool:
        if not self._is_ours(node):
            return False
        published = domains()[MAIN_DOMAIN].published.get(node.op_type)
        return published is not None and published.at(opset) != published.at(to)

    def _is_ours(self, node: NodeProto) -> bool:
        return node.domain in _OWN and (node.domain, node.op_type) not in self.own

    def _model_step(self, opset: int, to: int) -> None:
        _set_opset(self.model, opset)
        inferred = _inferred(self.model)
        for _ in range(_MAX_BODIES):
            bodies = list(self._bodies(self.model.graph, inferred.graph, opset, to, None))
            if not bodies:
                break
            labels = [(_label(node), node.op_type) for node, _ in bodies]
            self.changed.extend(Refused(*one, opset, to, "its function body") for one in labels)
            self.model = inlined(self.model, bodies)
            self.taken.update(_all_names(self.model))
            self.used.update(_used_names(self.model))
            inferred = _inferred(self.model)
        self._graph(self.model.graph, inferred.graph, opset, to, None)

    def _function_step(self, function: FunctionProto) -> Callable[[int, int], None]:
        def step(opset: int, to: int) -> None:
            _set_opset(function, opset)
            scope = Scope(self.folder, opset)
            scope.add_nodes(function.node)
            made: list[NodeProto] = []

            def store(name: str, array: Any) -> None:
                made.append(
                    helper.make_node("Constant", [], [name], value=numpy_helper.from_array(array))
                )

            nodes: list[NodeProto] = []
            for node in function.node:
                for graph in _graphs(node):
                    self._graph(graph, graph, opset, to, scope)
                found = self._node(node, opset, to, scope, Fresh(self.taken, store))
                nodes.extend((*made, *found))
                made.clear()
            del function.node[:]
            function.node.extend(nodes)

        return step

    def _bodies(
        self, graph: GraphProto, inferred: GraphProto, opset: int, to: int, outer: Scope | None
    ) -> Iterator[tuple[NodeProto, FunctionProto]]:
        """The nodes that the step replaces by a published body, and the bodies."""
        scope = self._scope(graph, inferred, opset, outer)
        for node, twin in zip(graph.node, inferred.node, strict=True):
            for inner, inner_twin in zip(_graphs(node), _graphs(twin), strict=True):
                yield from self._bodies(inner, inner_twin, opset, to, scope)
            if self._changes(node, opset, to):
                body = body_wanted(node, opset, to, scope)
                if body is not None:
                    yield node, body

    def _scope(
        self, graph: GraphProto, inferred: GraphProto, opset: int, outer: Scope | None
    ) -> Scope:
        scope = Scope.of_graph(graph, self.folder, opset, outer)
        for info in inferred.value_info:
            scope.types[info.name] = info.type
        for info in inferred.output:
            if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
                scope.types[info.name] = info.type
        return scope

    def _graph(
        self, graph: GraphProto, inferred: GraphProto, opset: int, to: int, outer: Scope | None
    ) -> None:
        scope = self._scope(graph, inferred, opset, outer)

        def store(name: str, array: Any) -> None:
            graph.initializer.append(numpy_helper.from_array(array, name))
            type_ = helper.make_tensor_type_proto(graph.initializer[-1].data_type, array.shape)
            scope.types[name] = type_
            scope.tensors[name] = graph.initializer[-1]

        nodes: list[NodeProto] = []
        for node, twin in zip(graph.node, inferred.node, strict=True):
            for inner, inner_twin in zip(_graphs(node), _graphs(twin), strict=True):
                self._graph(inner, inner_twin, opset, to, scope)
            nodes.extend(self._node(node, opset, to, scope, Fresh(self.taken, store)))
        del graph.node[:]
        graph.node.extend(nodes)

    def _node(
        self, node: NodeProto, opset: int, to: int, scope: Scope, fresh: Fresh
    ) -> list[NodeProto]:
        identity = next(filter(None, node.output), node.name)
        if identity in self.stuck or not self._changes(node, opset, to):
            return [node]
        label = _label(node)
        try:
            found = moved(node, opset, to, scope, fresh)
        except (Refusal, Error) as refusal:
            self.stuck.add(identity)
            self.refused.append(Refused(label, node.op_type, opset, to, str(refusal)))
            return [node]
        if found != [node]:
            words = ", ".join(one.op_type for one in found)
            self.changed.append(Refused(label, node.op_type, opset, to, words))
            last = found[-1]
            last.name = last.name or node.name
            last.doc_string = last.doc_string or node.doc_string
            if last is not node and not last.metadata_props:
                last.metadata_props.extend(node.metadata_props)
        return found

    def _finish(self, opset: int) -> None:
        """Remove what lost its last reader, and set the versions."""
        model = self.model
        original = _opset_of(model)
        _set_opset(model, opset)
        for function in model.functions:
            _set_opset(function, opset)
        while unused := self.used - set(_used_names(model)):
            graphs = list(_all_graphs(model))
            if not sum(_without(graph, unused) for graph in graphs):
                break
        for graph in _all_graphs(model):
            here = {name for node in graph.node for name in node.output}
            here.update(one.name for one in (*graph.input, *graph.output, *graph.initializer))
            stale = [info for info in graph.value_info if info.name not in here]
            for info in stale:
                graph.value_info.remove(info)
            if opset < _TYPED_CAST and not self.refused:
                graph.value_info.extend(_types_of_casts(graph))
        used = {node.domain or "" for node in _every_node(model)}
        for entry in list(model.opset_import):
            if entry.domain not in used and entry.domain not in _OWN:
                model.opset_import.remove(entry)
        needed = max(
            helper.find_min_ir_version_for(model.opset_import, ignore_unknown=True),
            _SIMPLE_IR,
            _FUNCTION_IR if model.functions else 0,
        )
        is_downgrade = opset < original
        model.ir_version = needed if is_downgrade else max(model.ir_version, needed)


def external_locations(model: ModelProto) -> list[str]:
    """The files with data outside of a model, as it names them."""
    tensors = [one for graph in _all_graphs(model) for one in graph.initializer]
    tensors += [one.t for node in _every_node(model) for one in node.attribute if one.HasField("t")]
    return sorted(
        {
            entry.value
            for tensor in tensors
            if tensor.data_location == TensorProto.EXTERNAL
            for entry in tensor.external_data
            if entry.key == "location"
        }
    )


def _without(graph: GraphProto, unused: set[str]) -> int:
    """Remove constants and nodes that nobody reads any more; return their number."""
    inputs = {info.name for info in graph.input}
    dead: list[Any] = [
        one for one in graph.initializer if one.name in unused and one.name not in inputs
    ]
    for one in dead:
        graph.initializer.remove(one)
    nodes = [
        node
        for node in graph.node
        if any(node.output) and unused.issuperset(filter(None, node.output))
    ]
    for node in nodes:
        graph.node.remove(node)
    return len(dead) + len(nodes)


def _types_of_casts(graph: GraphProto) -> list[ValueInfoProto]:
    """The types of the results of Cast nodes that a graph does not state."""
    known = {info.name for info in (*graph.value_info, *graph.output)}
    return [
        helper.make_tensor_value_info(
            node.output[0], TensorProto.DataType.Value(helper.get_node_attr_value(node, "to")), None
        )
        for node in graph.node
        if node.op_type == "Cast" and node.output[0] not in known
    ]


def _label(node: NodeProto) -> str:
    return node.name or f"{node.op_type} of {next(filter(None, node.output), node.name)}"


def _opset_of(part: ModelProto | FunctionProto) -> int:
    return opsets_of(part.opset_import, "the model").get(MAIN_DOMAIN, 1)


def _set_opset(part: ModelProto | FunctionProto, opset: int) -> None:
    for entry in part.opset_import:
        if entry.domain in _OWN:
            entry.version = opset
            return
    part.opset_import.append(helper.make_opsetid("", opset))


def _graphs(node: NodeProto) -> Iterator[GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _deep(nodes: Any) -> Iterator[NodeProto]:
    for node in nodes:
        yield node
        for graph in _graphs(node):
            yield from _deep(graph.node)


def _every_node(model: ModelProto) -> Iterator[NodeProto]:
    yield from _deep(model.graph.node)
    for function in model.functions:
        yield from _deep(function.node)


def _all_graphs(model: ModelProto) -> Iterator[GraphProto]:
    yield model.graph
    for node in _every_node(model):
        yield from _graphs(node)


def _used_names(model: ModelProto) -> Iterator[str]:
    for node in _every_node(model):
        yield from node.input
    for graph in _all_graphs(model):
        yield from (info.name for info in graph.output)
    for function in model.functions:
        yield from function.output


def _all_names(model: ModelProto) -> Iterator[str]:
    yield from _used_names(model)
    for node in _every_node(model):
        yield from node.output
    for graph in _all_graphs(model):
        yield from (one.name for one in (*graph.input, *graph.initializer, *graph.value_info))
    for function in model.functions:
        yield from function.input


def _inferred(model: ModelProto) -> ModelProto:
    """The model with the types and shapes that ONNX infers, without the data of large tensors."""
    light = ModelProto()
    light.CopyFrom(model)
    for graph in _all_graphs(light):
        for tensor in graph.initializer:
            if tensor.ByteSize() > SMALL:
                tensor.CopyFrom(stub(tensor))
    try:
        return shape_inference.infer_shapes(light, data_prop=True)
    except (RuntimeError, ValueError, shape_inference.InferenceError):  # the model is invalid
        return light


__all__ = ["Conversion", "ConversionError", "Refused", "convert", "external_locations"]
