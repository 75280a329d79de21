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
    helper,
    inliner,
)

from opmill._convert.bodies import inlined
from opmill._convert.facts import Refusal, Scope
from opmill._convert.fragment import Fresh
from opmill._convert.freeing import OPSET, freed
from opmill._convert.graphs import (
    OWN,
    all_graphs,
    all_names,
    deep,
    every_node,
    graphs_of,
    label_of,
    opset_of,
    set_opset,
    store,
    types_of_casts,
    used_names,
    with_types,
    without,
)
from opmill._convert.step import body_wanted, moved
from opmill._model.errors import ModelError
from opmill._onnx.catalog import MAIN_DOMAIN, domain_name, domains, home_of
from opmill._onnx.format_versions import min_ir_version
from opmill._onnx.nodes import opsets_of
from opmill._onnx.outside import Folder
from opmill._onnx.reader import Source, folder_of, message_of
from opmill._onnx.tensors import tensor_of_array
from opmill._runtime.errors import Error
from opmill._runtime.progress import Progress, silent
from opmill._runtime.public import public

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
        if self.opset == self.to:  # of another domain
            return f"{self.node}: {self.operator}: {self.reason}"
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
    model: Source,
    opset: int | None = None,
    *,
    domain: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> ModelProto:
    """Return a model that computes the same at another opset, or without nodes of other domains.

    Args:
        model: a path, the bytes of a file, or an ``onnx.ModelProto``, which is not changed.
        opset: the opset of ONNX's own domain; that of the model if only a domain is given.
        domain: ``ai.onnx`` to replace all nodes of other domains by nodes of this one.
        folder: where files with data outside of the model are; by default beside the model.

    Raises:
        ConversionError: some nodes cannot be moved or replaced; it lists all of them.
        ModelError: the model is not valid.
        OSError: a file cannot be read.
    """
    done = conversion(model, opset, domain=domain, folder=folder)
    if done.refused:
        lines = "".join(f"\n  {one}" for one in done.refused)
        what = "moved to" if domain is None else "nodes of ai.onnx at"
        raise ConversionError(
            f"{len(done.refused)} nodes cannot be {what} opset {done.opset}; the model reaches "
            f"opset {done.reached}:{lines}",
            done.refused,
            done.reached,
        )
    return done.model


def conversion(
    source: Source,
    opset: int | None = None,
    *,
    domain: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress = silent,
) -> Conversion:
    """Move a model as far as possible; ``convert`` documents the arguments but ``progress``.

    That passes on the opsets from which the model moves."""
    newest = domains()[MAIN_DOMAIN].opset
    if opset is None and domain is None:
        raise ModelError("neither opset nor domain is given, expected one of them or both")
    if opset is not None and not 1 <= opset <= newest:
        raise ModelError(f"opset is {opset}, expected 1 to {newest}")
    if domain not in (None, *OWN):
        raise ModelError(f"domain is {domain!r}, expected '{MAIN_DOMAIN}'")
    original = message_of(source)
    files = Folder(folder_of(source) if folder is None else folder)
    done = _Converter(original, files, progress).run(opset, frees=domain is not None)
    if done.refused and original.functions:
        # A function says nothing of the types that its calls have.
        whole = inliner.inline_local_functions(original)
        done = _Converter(whole, files, progress).run(opset, frees=domain is not None)
    return done


class _Converter:
    """A model on its way."""

    def __init__(self, model: ModelProto, folder: Folder, progress: Progress) -> None:
        self.model = ModelProto()
        self.model.CopyFrom(model)
        self.folder = folder
        self.progress = progress
        self.taken = set(all_names(self.model))
        self.used = set(used_names(self.model))
        self.original = set(self.taken)
        self.own = {(f.domain, f.name) for f in self.model.functions}
        self.refused: list[Refused] = []
        self.changed: list[Refused] = []
        self.stuck: set[str] = set()

    def run(self, opset: int | None, *, frees: bool = False) -> Conversion:
        if frees:
            self._free(opset)
        source = opset_of(self.model)
        if opset is None:
            opset = source
        is_free = not self.refused
        reached = self._move(source, opset, self._model_step, lambda: self.model.graph.node)
        for function in self.model.functions:
            begun = opset_of(function)
            nodes = partial(getattr, function, "node")
            got = self._move(begun, opset, self._function_step(function), nodes)
            if got != opset:
                reached = source
        if not is_free:
            reached = source
        self._finish(opset)
        return Conversion(
            self.model, source, opset, reached, tuple(self.refused), tuple(self.changed)
        )

    def _free(self, opset: int | None) -> None:
        """Replace the nodes of other domains, in rounds: types of results become known."""
        if not any(entry.domain in OWN for entry in self.model.opset_import):
            set_opset(self.model, OPSET if opset is None else opset)
        at = opset_of(self.model)
        refused: list[Refused] = []
        while True:
            refused.clear()
            before = len(self.changed)
            inferred = with_types(self.model)
            self._freed_graph(self.model.graph, inferred.graph, at, None, refused)
            if len(self.changed) == before:
                break
        for function in self.model.functions:
            refused.extend(
                Refused(label_of(node), node.op_type, at, at, "is in a function")
                for node in deep(function.node)
                if self._is_foreign(node)
            )
        self.refused.extend(refused)

    def _is_foreign(self, node: NodeProto) -> bool:
        if (node.domain, node.op_type) in self.own:
            return False
        return home_of(node.domain, node.op_type) != MAIN_DOMAIN

    def _freed_graph(
        self,
        graph: GraphProto,
        inferred: GraphProto,
        opset: int,
        outer: Scope | None,
        refused: list[Refused],
    ) -> None:
        scope = self._scope(graph, inferred, opset, outer)
        fresh = Fresh(self.taken, partial(store, graph, scope))
        imported = opsets_of(self.model.opset_import, "the model")
        nodes: list[NodeProto] = []
        for node, twin in zip(graph.node, inferred.node, strict=True):
            for inner, inner_twin in zip(graphs_of(node), graphs_of(twin), strict=True):
                self._freed_graph(inner, inner_twin, opset, scope, refused)
            if not self._is_foreign(node):
                nodes.append(node)
                continue
            label = label_of(node)
            try:
                version = imported.get(domain_name(node.domain), 1)
                move = partial(self._small, opset)
                found, constants = freed(node, version, opset, scope, fresh, move)
            except (Refusal, Error) as refusal:
                refused.append(Refused(label, node.op_type, opset, opset, str(refusal)))
                nodes.append(node)
                continue
            graph.initializer.extend(constants)
            self._note(node, found, opset, opset)
            nodes.extend(found)
        del graph.node[:]
        graph.node.extend(nodes)

    def _small(self, opset: int, model: ModelProto) -> ModelProto:
        """The nodes that replace one node, moved to the opset of the model."""
        converter = _Converter(model, self.folder, silent)
        converter.taken = self.taken
        done = converter.run(opset)
        if done.refused:
            raise Refusal(done.refused[0].reason)
        return done.model

    def _note(self, node: NodeProto, found: list[NodeProto], opset: int, to: int) -> None:
        """Report a node that others replace, the last of which takes its name and metadata."""
        words = ", ".join(one.op_type for one in found)
        self.changed.append(Refused(label_of(node), node.op_type, opset, to, words))
        last = found[-1]
        if node.name and not last.name:
            last.name = node.name
        if node.doc_string and not last.doc_string:
            last.doc_string = node.doc_string
        if last is not node and not last.metadata_props:
            last.metadata_props.extend(node.metadata_props)

    def _move(
        self, at: int, opset: int, step: Callable[[int, int], None], nodes: Callable[[], Any]
    ) -> int:
        """Go step by step; return the last opset before a node was refused."""
        direction = 1 if opset > at else -1
        reached, begun = at, len(self.refused)
        for number in self.progress("converting opsets", range(at, opset, direction)):
            to = number + direction
            if any(self._changes(node, number, to) for node in deep(nodes())):
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
        if (node.domain, node.op_type) in self.own:
            return False
        return home_of(node.domain, node.op_type) == MAIN_DOMAIN

    def _model_step(self, opset: int, to: int) -> None:
        set_opset(self.model, opset)
        inferred = with_types(self.model)
        for _ in range(_MAX_BODIES):
            bodies = list(self._bodies(self.model.graph, inferred.graph, opset, to, None))
            if not bodies:
                break
            labels = [(label_of(node), node.op_type) for node, _ in bodies]
            self.changed.extend(Refused(*one, opset, to, "its function body") for one in labels)
            self.model = inlined(self.model, bodies)
            self.taken.update(all_names(self.model))
            self.used.update(used_names(self.model))
            inferred = with_types(self.model)
        self._graph(self.model.graph, inferred.graph, opset, to, None)

    def _function_step(self, function: FunctionProto) -> Callable[[int, int], None]:
        def step(opset: int, to: int) -> None:
            set_opset(function, opset)
            scope = Scope(self.folder, opset)
            scope.add_nodes(function.node)
            created: list[NodeProto] = []

            def store(name: str, array: Any) -> None:
                created.append(
                    helper.make_node("Constant", [], [name], value=tensor_of_array(array))
                )

            nodes: list[NodeProto] = []
            for node in function.node:
                for graph in graphs_of(node):
                    self._graph(graph, graph, opset, to, scope)
                found = self._node(node, opset, to, scope, Fresh(self.taken, store))
                nodes.extend((*created, *found))
                created.clear()
            del function.node[:]
            function.node.extend(nodes)

        return step

    def _bodies(
        self, graph: GraphProto, inferred: GraphProto, opset: int, to: int, outer: Scope | None
    ) -> Iterator[tuple[NodeProto, FunctionProto]]:
        """The nodes that the step replaces by a published body, and the bodies."""
        scope = self._scope(graph, inferred, opset, outer)
        for node, twin in zip(graph.node, inferred.node, strict=True):
            for inner, inner_twin in zip(graphs_of(node), graphs_of(twin), strict=True):
                yield from self._bodies(inner, inner_twin, opset, to, scope)
            if self._changes(node, opset, to):
                body = body_wanted(node, opset, to, scope)
                if body is not None:
                    yield node, body

    def _scope(
        self, graph: GraphProto, inferred: GraphProto, opset: int, outer: Scope | None
    ) -> Scope:
        scope = Scope.of_graph(graph, self.folder, opset, outer)
        # Inputs of inner graphs need not state types; those of their nodes' inputs are theirs then.
        stated = [one for one in inferred.input if one.type.WhichOneof("value")]
        for info in (*stated, *inferred.value_info):
            scope.types[info.name] = info.type
        for info in inferred.output:
            if info.type.HasField("tensor_type") and info.type.tensor_type.HasField("shape"):
                scope.types[info.name] = info.type
        return scope

    def _graph(
        self, graph: GraphProto, inferred: GraphProto, opset: int, to: int, outer: Scope | None
    ) -> None:
        scope = self._scope(graph, inferred, opset, outer)
        fresh = Fresh(self.taken, partial(store, graph, scope))
        nodes: list[NodeProto] = []
        for node, twin in zip(graph.node, inferred.node, strict=True):
            for inner, inner_twin in zip(graphs_of(node), graphs_of(twin), strict=True):
                self._graph(inner, inner_twin, opset, to, scope)
            nodes.extend(self._node(node, opset, to, scope, fresh))
        del graph.node[:]
        graph.node.extend(nodes)

    def _node(
        self, node: NodeProto, opset: int, to: int, scope: Scope, fresh: Fresh
    ) -> list[NodeProto]:
        identity = next(filter(None, node.output), node.name)
        if identity in self.stuck or not self._changes(node, opset, to):
            return [node]
        label = label_of(node)
        try:
            found = moved(node, opset, to, scope, fresh)
        except (Refusal, Error) as refusal:
            self.stuck.add(identity)
            self.refused.append(Refused(label, node.op_type, opset, to, str(refusal)))
            return [node]
        if found != [node]:
            self._note(node, found, opset, to)
        return found

    def _finish(self, opset: int) -> None:
        """Remove what lost its last reader, and set the versions."""
        model = self.model
        original = opset_of(model)
        set_opset(model, opset)
        for function in model.functions:
            set_opset(function, opset)
        removable = self.used | (self.taken - self.original)
        while unused := removable - set(used_names(model)):
            graphs = list(all_graphs(model))
            if not sum(without(graph, unused) for graph in graphs):
                break
        for graph in all_graphs(model):
            here = {name for node in graph.node for name in node.output}
            here.update(one.name for one in (*graph.input, *graph.output, *graph.initializer))
            stale = [info for info in graph.value_info if info.name not in here]
            for info in stale:
                graph.value_info.remove(info)
            if opset < _TYPED_CAST and not self.refused:
                graph.value_info.extend(types_of_casts(graph))
        used = {node.domain or "" for node in every_node(model)}
        for entry in list(model.opset_import):
            if entry.domain not in used and entry.domain not in OWN:
                model.opset_import.remove(entry)
        needed = max(
            min_ir_version(model.opset_import),
            _SIMPLE_IR,
            _FUNCTION_IR if model.functions else 0,
        )
        is_downgrade = opset < original
        model.ir_version = needed if is_downgrade else max(model.ir_version, needed)


__all__ = ["Conversion", "ConversionError", "Refused", "convert"]
