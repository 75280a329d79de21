"""Attributes of cases, as lines of the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from opmill_checks.graphs import graph, node
from opmill_checks.value import Sparse, Value
from opmill_gen.emit.corpus.values import quoted, tensor_text, tensor_value, word
from opmill_gen.spec.attribute_values import GraphValue, SparseValue, attribute_value
from opmill_gen.spec.operator_version import AttributeKind, OperatorVersion
from opmill_gen.spec.tensor_values import TensorValue
from opmill_gen.yaml_reader.tree import Tree

_LISTS = {int: "ints", float: "floats", str: "strings"}


def attribute_lines(spec: OperatorVersion, given: Mapping[str, Tree]) -> Iterator[str]:
    """A line for each attribute that a case gives, a sparse tensor with two more."""
    kinds = {attribute.name: attribute.kind for attribute in spec.attributes}
    for name, tree in given.items():
        value = attribute_value(tree)
        head = f"attribute {word(name)}"
        if isinstance(value, TensorValue):
            yield f"{head} tensor {_tensor(value)}"
        elif isinstance(value, SparseValue):
            yield f"{head} sparse [{','.join(map(str, value.dims))}]"
            yield f"tensor {_tensor(value.values)}"
            yield f"tensor {_tensor(value.indices)}"
        elif isinstance(value, GraphValue):
            yield f"{head} graph {_json(_graph(value))}"
        else:
            yield f"{head} {_plain(value, kinds.get(name))}"


def value_lines_of(spec: OperatorVersion, given: Mapping[str, object]) -> Iterator[str]:
    """The same of attributes as oracles take them."""
    kinds = {attribute.name: attribute.kind for attribute in spec.attributes}
    for name, value in given.items():
        head = f"attribute {word(name)}"
        if isinstance(value, Value):
            yield f"{head} tensor {tensor_text(value)}"
        elif isinstance(value, Sparse):
            yield f"{head} sparse [{','.join(map(str, value.dims))}]"
            yield f"tensor {tensor_text(value.values)}"
            yield f"tensor {tensor_text(value.indices)}"
        else:
            plain = tuple(value) if isinstance(value, list) else value
            yield f"{head} {_plain(plain, kinds.get(name))}"


def attribute_values(given: Mapping[str, Tree]) -> dict[str, Any]:
    """The attributes as oracles take them."""
    return {name: _value(attribute_value(tree)) for name, tree in given.items()}


def _plain(value: object, kind: AttributeKind | None) -> str:
    """A number, a text or a list; of what is neither, the JSON."""
    if isinstance(value, str):
        return f"string {quoted(value)}"
    if type(value) in (int, float):
        is_float = isinstance(value, float) or kind is AttributeKind.FLOAT
        return f"{'float' if is_float else 'int'} {_scalar(value)}"
    if isinstance(value, tuple):
        types = {type(item) for item in value}
        if (kind is AttributeKind.FLOATS and types <= {int, float}) or types == {int, float}:
            types = {float}
        if not types and kind is not None and kind.value.endswith("S"):
            return kind.value.lower()
        if len(types) == 1 and (listed := _LISTS.get(types.pop())):
            return " ".join([listed, *map(_scalar, value)])
    return f"other {_json(value)}"


def _scalar(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _tensor(tensor: TensorValue) -> str:
    value = tensor_value(tensor)
    assert isinstance(value, Value)
    return tensor_text(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _graph(value: GraphValue) -> dict[str, Any]:
    return {
        "inputs": list(value.inputs),
        "nodes": [
            {
                "op": one.op,
                "inputs": list(one.inputs),
                "outputs": list(one.outputs),
                "attributes": {
                    name: {"tensor": _tensor(inner)} if isinstance(inner, TensorValue) else inner
                    for name, tree in one.attributes.items()
                    for inner in [attribute_value(tree)]
                },
            }
            for one in value.nodes
        ],
        "outputs": list(value.outputs),
        "types": {
            name: {"type": one.type.value, "shape": list(one.shape)}
            for name, one in value.types.items()
        },
    }


def _value(value: object) -> Any:
    if isinstance(value, TensorValue):
        return tensor_value(value)
    if isinstance(value, SparseValue):
        values, indices = tensor_value(value.values), tensor_value(value.indices)
        assert isinstance(values, Value)
        assert isinstance(indices, Value)
        return Sparse(values, indices, value.dims)
    if isinstance(value, GraphValue):
        nodes = [
            node(one.op, list(one.inputs), list(one.outputs), **attribute_values(one.attributes))
            for one in value.nodes
        ]
        types = {name: (one.type.value, one.shape) for name, one in value.types.items()}
        return graph(list(value.inputs), nodes, list(value.outputs), **types)
    return list(map(_value, value)) if isinstance(value, tuple) else value
