"""The graphs of a model: walks over nodes and names, types that ONNX infers, opsets, removals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from onnx import (
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    helper,
    shape_inference,
)

from opmill._convert.bodies import SMALL, stub
from opmill._convert.facts import Scope
from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._onnx.nodes import opsets_of
from opmill._onnx.tensors import tensor_of_array

OWN = ("", MAIN_DOMAIN)
"""Names of ONNX's own domain in models."""


def external_locations(model: ModelProto) -> list[str]:
    """The files with data outside of a model, as it names them."""
    tensors = [one for graph in all_graphs(model) for one in graph.initializer]
    tensors += [one.t for node in every_node(model) for one in node.attribute if one.HasField("t")]
    return sorted(
        {
            entry.value
            for tensor in tensors
            if tensor.data_location == TensorProto.EXTERNAL
            for entry in tensor.external_data
            if entry.key == "location"
        }
    )


def store(graph: GraphProto, scope: Scope, name: str, array: Any) -> None:
    """Store a constant in a graph."""
    tensor = tensor_of_array(array, name)
    graph.initializer.append(tensor)
    scope.types[name] = helper.make_tensor_type_proto(tensor.data_type, array.shape)
    scope.tensors[name] = graph.initializer[-1]


def without(graph: GraphProto, unused: set[str]) -> int:
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


def types_of_casts(graph: GraphProto) -> list[ValueInfoProto]:
    """The types of the results of Cast nodes that a graph does not state."""
    known = {info.name for info in (*graph.value_info, *graph.output)}
    return [
        helper.make_tensor_value_info(
            node.output[0], TensorProto.DataType.Value(helper.get_node_attr_value(node, "to")), None
        )
        for node in graph.node
        if node.op_type == "Cast" and node.output[0] not in known
    ]


def label_of(node: NodeProto) -> str:
    return node.name or f"{node.op_type} of {next(filter(None, node.output), node.name)}"


def opset_of(part: ModelProto | FunctionProto) -> int:
    return opsets_of(part.opset_import, "the model").get(MAIN_DOMAIN, 1)


def set_opset(part: ModelProto | FunctionProto, opset: int) -> None:
    for entry in part.opset_import:
        if entry.domain in OWN:
            entry.version = opset
            return
    part.opset_import.append(helper.make_opsetid("", opset))


def graphs_of(node: NodeProto) -> Iterator[GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def deep(nodes: Any) -> Iterator[NodeProto]:
    for node in nodes:
        yield node
        for graph in graphs_of(node):
            yield from deep(graph.node)


def every_node(model: ModelProto) -> Iterator[NodeProto]:
    yield from deep(model.graph.node)
    for function in model.functions:
        yield from deep(function.node)


def all_graphs(model: ModelProto) -> Iterator[GraphProto]:
    yield model.graph
    for node in every_node(model):
        yield from graphs_of(node)


def new_names(graph: GraphProto) -> Iterator[str]:
    """The names that nodes and constants of a graph give to values, those of inner graphs too."""
    yield from (one.name for one in graph.initializer)
    for node in graph.node:
        yield from filter(None, node.output)
        for inner in graphs_of(node):
            yield from (one.name for one in inner.input)
            yield from new_names(inner)


def outer_names(nodes: Iterable[NodeProto], known: Iterable[str] = ()) -> Iterator[str]:
    """The values of a graph around the nodes that they read, or that their inner graphs do.

    Args:
        nodes: the nodes, in an order in which they can be computed.
        known: values of the nodes' graph that no node gives.
    """
    inside = {"", *known}
    for node in nodes:
        yield from (name for name in node.input if name not in inside)
        for inner in graphs_of(node):
            own = [one.name for one in (*inner.input, *inner.initializer)]
            yield from outer_names(inner.node, (*inside, *own))
        inside.update(node.output)


def rename(graph: GraphProto, names: Mapping[str, str]) -> None:
    """Give other names to values of a graph and of its inner graphs."""
    for one in (*graph.input, *graph.initializer, *graph.value_info, *graph.output):
        one.name = names.get(one.name, one.name)
    for node in graph.node:
        for values in (node.input, node.output):
            values[:] = [names.get(name, name) for name in values]
        for inner in graphs_of(node):
            rename(inner, names)


def used_names(model: ModelProto) -> Iterator[str]:
    for node in every_node(model):
        yield from node.input
    for graph in all_graphs(model):
        yield from (info.name for info in graph.output)
    for function in model.functions:
        yield from function.output


def all_names(model: ModelProto) -> Iterator[str]:
    yield from used_names(model)
    for node in every_node(model):
        yield from node.output
    for graph in all_graphs(model):
        yield from (one.name for one in (*graph.input, *graph.initializer, *graph.value_info))
    for function in model.functions:
        yield from function.input


def with_types(model: ModelProto) -> ModelProto:
    """The model with the types and shapes that ONNX infers, without the data of large tensors."""
    light = ModelProto()
    light.CopyFrom(model)
    for graph in all_graphs(light):
        for tensor in graph.initializer:
            if tensor.ByteSize() > SMALL:
                tensor.CopyFrom(stub(tensor))
    try:
        return shape_inference.infer_shapes(light, data_prop=True)
    except (RuntimeError, ValueError, shape_inference.InferenceError):  # the model is invalid
        return light
