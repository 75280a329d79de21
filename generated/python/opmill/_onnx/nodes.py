"""Nodes and opset imports: what they are called in messages, and which versions they mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from onnx import AttributeProto, GraphProto, NodeProto, OperatorSetIdProto

from opmill._model.errors import ModelError, check_text, locate, plain, shown
from opmill._onnx.catalog import check_opset, domain_name, domains
from opmill._onnx.outside import Folder
from opmill._onnx.protos import NO_FOLDER, attributes_of
from opmill._runtime.attributes import bind_attributes
from opmill._runtime.errors import OpError
from opmill._runtime.operator import Operator
from opmill._runtime.schema import Parameter


def opsets_of(imports: Iterable[OperatorSetIdProto], who: str) -> dict[str, int]:
    """The version of each domain that a model or a function imports.

    Args:
        imports: its opset imports.
        who: what messages call it.

    Raises:
        ModelError: a domain is imported twice, or at a version that is unknown.
    """
    opsets: dict[str, int] = {}
    for entry in imports:
        check_text(entry.domain, f"a domain that {who} imports")
        domain = domain_name(entry.domain)
        if opsets.setdefault(domain, entry.version) != entry.version:
            raise ModelError(
                f"{who} imports {plain(domain)} at opset {opsets[domain]} and at {entry.version}"
            )
    for domain, opset in opsets.items():
        if domain in domains():
            check_opset(domain, opset)
    return opsets


def newer_opset(entry: OperatorSetIdProto) -> str:
    """An import of an opset that is newer than those known here, in words; empty of others."""
    domain = domain_name(entry.domain)
    if domain not in domains() or entry.version <= domains()[domain].opset:
        return ""
    newest = domains()[domain].opset
    return (
        f"opset {entry.version} of {domain} is newer than opset {newest}, the newest that this "
        f"opmill knows; operators are computed as opset {newest} has them"
    )


def resolved_call(
    node: NodeProto, location: str, operator: Operator, folder: Folder = NO_FOLDER
) -> tuple[dict[str, Any], int | None]:
    """The checked attributes of a node, and the number of outputs it requests (see ``count_of``).

    Raises:
        ModelError: an attribute cannot be read.
        OpError: an attribute is not legal.
    """
    schema = operator.schema
    try:
        attributes = attributes_of(node, location, schema, folder)
        bind_attributes(schema.label, schema.attributes, attributes)
    except OpError as error:
        locate(error, location, schema)
        raise
    return attributes, count_of(node, operator)


def split_graphs(
    node: NodeProto, location: str, operator: Operator
) -> tuple[NodeProto, dict[str, GraphProto]]:
    """A node without the graphs among its attributes, and those graphs by name.

    Raises:
        ModelError: a graph is given twice.
    """
    kinds = {one.name: one.kind for one in operator.schema.attributes}
    graphs: dict[str, GraphProto] = {}
    rest = NodeProto(
        name=node.name,
        op_type=node.op_type,
        domain=node.domain,
        input=node.input,
        output=node.output,
    )
    for attribute in node.attribute:
        if attribute.type != AttributeProto.GRAPH or kinds.get(attribute.name) != "GRAPH":
            rest.attribute.append(attribute)  # where it is not legal, who reads it refuses it
            continue
        if attribute.name in graphs:
            raise ModelError(f"{location}: attribute {shown(attribute.name)} is given twice")
        graphs[attribute.name] = attribute.g
    return rest, graphs


def count_of(node: NodeProto, operator: Operator) -> int | None:
    """The number of outputs of a node; ``None`` for all of an operator that has no other choice.

    An output without a name is not used, but the node still has it; only an optional one is absent.
    An operator need not look at the number if it is ``None``, which makes its call a quick one.
    """
    outputs = operator.schema.outputs
    count = len(node.output)
    while count and not node.output[count - 1] and _may_be_absent(outputs, count - 1):
        count -= 1
    plain = all(parameter.option == "single" for parameter in outputs)
    return None if plain and count == len(outputs) else count


def _may_be_absent(outputs: Sequence[Parameter], position: int) -> bool:
    """Return whether an output is optional, or is none that the operator has."""
    if position < len(outputs):
        return outputs[position].option == "optional"
    return outputs[-1].option != "variadic"
