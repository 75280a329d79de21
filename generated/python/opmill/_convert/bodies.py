"""Nodes replaced by the function bodies that ONNX publishes for their operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, helper, inliner

from opmill._convert.facts import Scope
from opmill._convert.fragment import attribute_of
from opmill._model.errors import Missing
from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._onnx.functions import published_body
from opmill._runtime.schema import Schema

_DOMAIN = "opmill.convert"

SMALL = 4096
"""Maximum number of bytes of a tensor whose contents ONNX's own passes may read."""


def body_of(node: NodeProto, schema: Schema, scope: Scope) -> FunctionProto | None:
    """The body of a node at its opset; its attributes with a default are written on the node."""
    whole = NodeProto()
    whole.CopyFrom(node)
    for names in (whole.input, whole.output):
        while names and not names[-1]:
            del names[-1]
    written = {one.name for one in node.attribute}
    for one in schema.attributes:
        if one.name not in written and one.default is not None:
            whole.attribute.append(attribute_of(one.name, one.default, one.kind))
    types = [scope.type_of(name) if name else None for name in whole.input]
    missing = Missing(node.name, node.op_type, MAIN_DOMAIN, schema.since_version, scope.opset)
    body = published_body(whole, missing, types)
    if body is None or len(body.input) < len(whole.input):
        return None
    node.CopyFrom(whole)
    body.attribute.extend(one.name for one in body.attribute_proto)
    del body.attribute_proto[:]
    known = {one.name for one in node.attribute}
    body.attribute.extend(sorted(known - set(body.attribute)))
    for entry in body.opset_import:
        if entry.domain in ("", MAIN_DOMAIN):
            entry.version = scope.opset
    return body


def inlined(model: ModelProto, bodies: Sequence[tuple[NodeProto, FunctionProto]]) -> ModelProto:
    """The model with nodes replaced by their bodies.

    Args:
        model: the model, whose nodes are changed.
        bodies: nodes of the model, and the body of each.
    """
    for number, (node, body) in enumerate(bodies):
        node.op_type = body.name = f"{node.op_type}_{number}"
        node.domain = body.domain = _DOMAIN
    light = ModelProto()
    light.CopyFrom(model)
    # The data of initializers do not pass through the inliner.
    tensors = {one.name: one for one in model.graph.initializer if one.ByteSize() > SMALL}
    for tensor in light.graph.initializer:
        if tensor.name in tensors:
            tensor.CopyFrom(stub(tensor))
    light.functions.extend(body for _, body in bodies)
    light.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    done = inliner.inline_selected_functions(light, [(one.domain, one.name) for _, one in bodies])
    for entry in list(done.opset_import):
        if entry.domain == _DOMAIN:
            done.opset_import.remove(entry)
    for tensor in done.graph.initializer:
        if tensor.name in tensors:
            tensor.CopyFrom(tensors[tensor.name])
    return done


def stub(tensor: TensorProto) -> TensorProto:
    """A tensor of the same type and dims, without its data."""
    found = TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
    found.data_location = TensorProto.EXTERNAL
    entry: Any = found.external_data.add()
    entry.key, entry.value = "location", "none"
    return found
