"""A case as a model of one node, and its values as ONNX's protobuf messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    TypeProto,
    ValueInfoProto,
    helper,
)

from opmill._onnx.format_versions import min_ir_version
from opmill._onnx.tensors import sequence_of_arrays, tensor_of_array
from opmill._runtime.errors import Error
from opmill._runtime.registry import operator
from opmill._runtime.schema import Parameter, Schema
from opmill.conformance._cases import TYPES as _TYPES
from opmill.conformance._cases import Case, Graph, Held, Sparse, Value, value_of

NUMBERS = dict(zip(_TYPES, range(1, len(_TYPES) + 1), strict=True))
"""The number of each element type in TensorProto.DataType."""

_OLDEST_IR = {
    **dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 9),
    **dict.fromkeys(("uint4", "int4"), 10),
    "float4e2m1": 11,
    "float8e8m0": 12,
    **dict.fromkeys(("uint2", "int2"), 13),
    **dict.fromkeys(("float6e2m3", "float6e3m2"), 14),
}
"""The first IR version that has an element type, where that is not the first of all."""

_OPSET_OF_OTHERS = 17
"""The opset of models of operators whose nodes are of a domain that does not publish them."""

_FIRST_IR = 3
"""The first IR version whose models say which opsets they import."""


class InexpressibleError(Error, ValueError):
    """A call that a model cannot hold, as one with an attribute of a kind that ONNX lacks."""


def model_of(case: Case, opset: int | None = None) -> ModelProto:
    """The model of a case; ``Case.model`` documents the arguments."""
    schema = case.schema
    number = opset_of(schema, opset)
    domain = schema.domain_in_models
    inputs = _names(schema.inputs, case.inputs, "in")
    outputs = output_names(case)
    node = onnx.NodeProto(op_type=schema.name, domain=domain, input=inputs, output=outputs)
    if schema.inputs and schema.inputs[-1].option == "variadic":
        # Absent inputs in front of a variadic one are written, even where it has no values.
        node.input.extend([""] * (len(schema.inputs) - 1 - len(inputs)))
    node.attribute.extend(_attribute(case, name, value) for name, value in case.attributes.items())
    graph = helper.make_graph(
        [node],
        schema.name,
        [
            _value_info(name, value, optional)
            for name, value, optional in zip(
                inputs, case.inputs, are_optionals(schema, schema.inputs, len(inputs)), strict=True
            )
            if value is not None
        ],
        _output_infos(case, outputs),
    )
    imports = [helper.make_opsetid(domain, number)]
    return helper.make_model(
        graph, opset_imports=imports, ir_version=_ir_version(case, imports), producer_name="opmill"
    )


def opset_of(schema: Schema, opset: int | None) -> int:
    """The opset that a model of an operator version imports.

    Args:
        schema: the version's schema.
        opset: the opset that is asked for; ``None`` for the lowest that has the version.
    """
    if opset is not None:
        return opset
    return schema.since_version if schema.node_domain is None else _OPSET_OF_OTHERS


def output_names(case: Case) -> list[str]:
    """The names of the node's outputs; empty for one that is not requested."""
    wanted: Sequence[object] = case.outputs or [case] * case.requested
    taken = _names(case.schema.inputs, case.inputs, "in")  # BatchNormalization-1 has two of a name
    names = _names(case.schema.outputs, wanted, "out")
    return [f"{name}_out" if name and name in taken else name for name in names]


def _names(parameters: Sequence[Parameter], values: Sequence[object], kind: str) -> list[str]:
    names = []
    for position, value in enumerate(values):
        formal = parameters[min(position, len(parameters) - 1)] if parameters else None
        if value is None:
            names.append("")
        elif formal is None or position >= len(parameters) or formal.option == "variadic":
            after = position - max(len(parameters) - 1, 0)
            names.append(f"{kind if formal is None else formal.name}_{after}")
        else:
            names.append(formal.name)
    return names


def _attribute(case: Case, name: str, value: Any) -> AttributeProto:
    kinds = {attribute.name: attribute.kind for attribute in case.schema.attributes}
    kind = kinds.get(name)
    if kind == "TYPE_PROTO" and isinstance(value, str):
        value = _proto_of(value)
    elif isinstance(value, Graph):
        value = _graph(case, name, value)
    elif isinstance(value, Value):
        value = tensor_of_array(value.to_array())
    elif isinstance(value, Sparse):
        values = tensor_of_array(value.values.to_array())
        indices = tensor_of_array(value.indices.to_array())
        value = helper.make_sparse_tensor(values, indices, list(value.dims))
    elif isinstance(value, (list, tuple)) and any(isinstance(one, Value) for one in value):
        value = [tensor_of_array(one.to_array()) for one in value]
    if kind == "FLOAT" and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind == "FLOATS" and isinstance(value, (list, tuple)):
        value = [float(one) if isinstance(one, int) else one for one in value]
    try:
        if value == [] and kind is not None:
            return AttributeProto(name=name, type=AttributeProto.AttributeType.Value(kind))
        return helper.make_attribute(name, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InexpressibleError(f"attribute {name}: {error}") from None


def _graph(case: Case, name: str, graph: Graph) -> GraphProto:
    """A graph with the types of the inputs that its first run receives.

    Runtimes refuse graphs that return an input, or a value twice. Identities stand between.
    """
    nodes = []
    for one in graph.nodes:
        node = onnx.NodeProto(op_type=one.op, input=one.inputs, output=one.outputs)
        for key, value in one.attributes.items():
            if key == "type" and isinstance(value, str):
                value = _proto_of(value)
            elif isinstance(value, Value):
                value = tensor_of_array(value.to_array())
            node.attribute.append(helper.make_attribute(key, value))
        nodes.append(node)
    seen, returned = _first_run(case, name, graph)
    outputs: list[ValueInfoProto] = []
    for k, (given, declared) in enumerate(zip(graph.outputs, graph.output_types, strict=True)):
        output = given
        is_tensor = returned is None or isinstance(returned[k], Value)
        if (given in graph.inputs or given in graph.outputs[:k]) and is_tensor:
            output = f"{given}_out{k}"
            nodes.append(helper.make_node("Identity", [given], [output]))
        if declared is not None:
            type_ = helper.make_tensor_type_proto(NUMBERS[declared.type], declared.shape)
        elif returned is not None and not _is_open(returned[k]):
            type_ = _without_dims(type_proto(returned[k]))
        else:
            type_ = None
        outputs.append(ValueInfoProto(name=output, type=type_))
    inputs = [ValueInfoProto(name=given) for given in graph.inputs]
    for formal, value in zip(inputs, seen or (), strict=False):
        formal.type.CopyFrom(_without_dims(type_proto(value)))
    return helper.make_graph(nodes, name, inputs, outputs)


def _is_open(value: Value | Held) -> bool:
    """Return whether the type of a sequence or an optional is unknown."""
    return isinstance(value, Held) and not value.items


def _without_dims(type_: TypeProto) -> TypeProto:
    """The type of a tensor of the same rank."""
    for dim in type_.tensor_type.shape.dim:
        dim.Clear()
    return type_


def _first_run(
    case: Case, name: str, graph: Graph
) -> tuple[list[Value | Held] | None, list[Value | Held] | None]:
    """Return inputs and results of the first run of a graph; ``None`` if it does not run."""
    runs: list[tuple[list[Value | Held], list[Value | Held]]] = []

    def recorded(*arguments: Any) -> Any:
        results = graph(*arguments)
        runs.append(([value_of(one) for one in arguments], [value_of(one) for one in results]))
        return results

    recorded.output_types = graph.output_types  # type: ignore[attr-defined]
    schema = case.schema
    try:
        found = operator(schema.name, schema.since_version, schema.domain)
        found(case.input_arrays(), {**case.call_attributes(), name: recorded})
    except (ValueError, TypeError, KeyError):
        pass  # a call that is not valid
    return runs[0] if runs else (None, None)


def _proto_of(word: str) -> TypeProto:
    """The type that ONNX calls so, as ``seq(tensor(float))``."""
    if word.startswith("seq("):
        return helper.make_sequence_type_proto(_proto_of(word[len("seq(") : -1]))
    if word.startswith("optional("):
        return helper.make_optional_type_proto(_proto_of(word[len("optional(") : -1]))
    return helper.make_tensor_type_proto(NUMBERS[word[len("tensor(") : -1]], None)


def _value_info(name: str, value: Value | Held, optional: bool) -> ValueInfoProto:
    type_ = type_proto(value)
    if optional and not type_.HasField("optional_type"):
        type_ = helper.make_optional_type_proto(type_)
    return helper.make_value_info(name, type_)


def are_optionals(schema: Schema, formals: Sequence[Parameter], count: int) -> list[bool]:
    """Of each of so many values of a call, whether it can be nothing but an optional."""
    listed = [
        schema.type_constraints.get(formal.type, (formal.type,))
        for formal in (formals[min(k, len(formals) - 1)] for k in range(count) if formals)
    ]
    optional = [all(one.startswith("optional(") for one in types) for types in listed]
    return optional or [False] * count


def type_proto(value: Value | Held) -> TypeProto:
    """The type of a value, with its shape where it is a tensor."""
    if isinstance(value, Value):
        return helper.make_tensor_type_proto(NUMBERS[value.type], value.shape)
    if value.items is None:
        return helper.make_optional_type_proto(helper.make_tensor_type_proto(1, None))
    type = value.items[0].type if value.items else value.type or "float"
    return helper.make_sequence_type_proto(helper.make_tensor_type_proto(NUMBERS[type], None))


def _output_infos(case: Case, names: list[str]) -> list[ValueInfoProto]:
    if case.outputs:
        return [
            _value_info(name, value, optional)
            for name, value, optional in zip(
                names,
                case.outputs,
                are_optionals(case.schema, case.schema.outputs, len(names)),
                strict=True,
            )
            if value is not None
        ]
    return [
        helper.make_value_info(name, _likely_proto(case, position))
        for position, name in enumerate(names)
    ]


def _likely_proto(case: Case, position: int) -> TypeProto:
    """The type that an output of an invalid call would have, of the kind that the schema states."""
    type_ = helper.make_tensor_type_proto(NUMBERS[_likely_type(case, position)], None)
    formal = case.schema.outputs[min(position, len(case.schema.outputs) - 1)]
    listed = case.schema.type_constraints.get(formal.type, (formal.type,))
    if all(one.startswith("seq(") for one in listed):
        return helper.make_sequence_type_proto(type_)
    if all(one.startswith("optional(") for one in listed):
        return helper.make_optional_type_proto(type_)
    return type_


def _likely_type(case: Case, position: int) -> str:
    """The type that an output of an invalid call would have: bound by an input, or the first."""
    formal = case.schema.outputs[min(position, len(case.schema.outputs) - 1)]
    for parameter, value in zip(case.schema.inputs, case.inputs, strict=False):
        if parameter.type == formal.type and isinstance(value, Value):
            return value.type
    listed = case.schema.type_constraints.get(formal.type, (formal.type,))
    words = [one[len("tensor(") : -1] for one in listed if one.startswith("tensor(")]
    return words[0] if words else "float"


def _ir_version(case: Case, imports: Sequence[Any]) -> int:
    needed = min_ir_version(imports)
    return max(_FIRST_IR, needed, *(_OLDEST_IR.get(type, 0) for type in case.types), 0)


def messages(
    values: Sequence[Value | Held | None], names: Sequence[str], optional: Sequence[bool]
) -> list[Any]:
    """The values that there are, each as TensorProto, SequenceProto or OptionalProto.

    Args:
        values: the values.
        names: their names.
        optional: whether each is declared as an optional, whatever it is.
    """
    found: list[Any] = []
    for name, value, wrapped in zip(names, values, optional, strict=True):
        if value is None:
            continue
        array: Any = value.to_array()
        if wrapped and array is not None:
            message = onnx.OptionalProto(name=name)
            if isinstance(value, Value):
                message.elem_type = onnx.OptionalProto.TENSOR
                message.tensor_value.CopyFrom(tensor_of_array(array))
            else:
                message.elem_type = onnx.OptionalProto.SEQUENCE
                message.sequence_value.CopyFrom(sequence_of_arrays(array))
            found.append(message)
        elif isinstance(value, Value):
            found.append(tensor_of_array(array, name))
        elif value.items is None:
            found.append(onnx.OptionalProto(name=name, elem_type=onnx.OptionalProto.UNDEFINED))
        else:
            found.append(sequence_of_arrays(array, name))
    return found
