"""Functions: those of a model, and those that ONNX publishes as the bodies of operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onnx import AttributeProto, FunctionProto, NodeProto, TypeProto, defs

from opmill._model.errors import Missing, ModelError, shown
from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._runtime.types import number_of_element


def bound_attributes(
    node: NodeProto, location: str, attributes: Mapping[str, AttributeProto] | None
) -> NodeProto:
    """A node of a function, with the attributes of the node that calls it.

    Args:
        node: the node; it is not changed.
        location: where it is, for messages.
        attributes: what the function's attributes are; ``None`` where there is no function.

    Raises:
        ModelError: an attribute refers to one that cannot be there, or is of another kind.
    """
    if attributes is None or not any(one.ref_attr_name for one in node.attribute):
        return node
    bound = NodeProto(
        op_type=node.op_type,
        domain=node.domain,
        overload=node.overload,
        name=node.name,
        input=node.input,
        output=node.output,
    )
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            bound.attribute.append(attribute)
            continue
        found = attributes.get(attribute.ref_attr_name)
        if found is None:
            continue  # one that the call leaves out
        if attribute.type not in (found.type, AttributeProto.UNDEFINED):
            raise ModelError(
                f"{location}: attribute {shown(attribute.name)} is of another kind than "
                f"{shown(attribute.ref_attr_name)} of the function"
            )
        copy = bound.attribute.add()
        copy.CopyFrom(found)
        copy.name = attribute.name
    return bound


def check_function(function: FunctionProto) -> None:
    """Refuse a function that lists an attribute or an output twice.

    Raises:
        ModelError: it does; the message names it.
    """
    attributes = (*function.attribute, *(one.name for one in function.attribute_proto))
    for kind, names in (("attribute", attributes), ("output", function.output)):
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise ModelError(
                    f"the function {shown(function.name)} has the {kind} {shown(name)} twice"
                )
            seen.add(name)


def function_attributes(
    node: NodeProto, function: FunctionProto, location: str
) -> dict[str, AttributeProto]:
    """The attributes of a function for one call: those of the node, else the defaults.

    Raises:
        ModelError: the function has no such attribute, or it is given twice.
    """
    values = {one.name: one for one in function.attribute_proto}
    allowed = {*values, *function.attribute}
    given: set[str] = set()
    for attribute in node.attribute:
        if attribute.name in given:
            raise ModelError(f"{location}: attribute {shown(attribute.name)} is given twice")
        given.add(attribute.name)
        if attribute.ref_attr_name:
            raise ModelError(
                f"{location}: attribute {shown(attribute.name)} refers to an attribute of a "
                "function, and is in none"
            )
        if attribute.name not in allowed:
            raise ModelError(
                f"{location}: the function {shown(function.name)} has no attribute "
                f"{shown(attribute.name)}"
            )
        values[attribute.name] = attribute
    return values


def published_body(
    node: NodeProto, missing: Missing, types: Sequence[str | TypeProto | None]
) -> FunctionProto | None:
    """The body that ONNX publishes for the operator version of a node; ``None`` without one.

    Args:
        node: the node.
        missing: the operator version, and the opset that the model imports.
        types: the types of the inputs, or ONNX's words for them, where they are known: some bodies
            depend on them.
    """
    short = "" if missing.domain == MAIN_DOMAIN else missing.domain
    try:
        schema: Any = defs.get_schema(missing.operator, missing.opset, short)
    except defs.SchemaError:
        return None
    if schema.since_version != missing.version:
        return None
    body = FunctionProto()
    plain = _newest(schema.function_opset_versions, missing.opset)
    if plain is not None:
        body.ParseFromString(schema.get_function_with_opset_version(plain))
    else:
        dependent = _newest(schema.context_dependent_function_opset_versions, missing.opset)
        if dependent is None:
            return None
        given = [_type(word).SerializeToString() for word in types]
        try:
            body.ParseFromString(
                schema.get_context_dependent_function_with_opset_version(
                    dependent, node.SerializeToString(), given
                )
            )
        except Exception:  # of classes that onnx does not name, where a type is lacking
            return None
    present = {one.name for one in body.attribute_proto}
    for name, attribute in schema.attributes.items():
        if name in present:
            continue
        if attribute.default_value.name:
            body.attribute_proto.append(attribute.default_value)
        elif name not in body.attribute:
            body.attribute.append(name)
    return body


def _newest(versions: Sequence[int], opset: int) -> int | None:
    return max((version for version in versions if version <= opset), default=None)


def _type(word: str | TypeProto | None) -> TypeProto:
    """A type in ONNX's words as a message, as far as it is a tensor's."""
    if isinstance(word, TypeProto):
        return word
    type_ = TypeProto()
    if word is not None and word.startswith("tensor("):
        type_.tensor_type.elem_type = number_of_element(word[len("tensor(") : -1])
    return type_
