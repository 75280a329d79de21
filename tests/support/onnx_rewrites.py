"""Facts about operators needed to run ONNX's tests of them: ``tests/operators/README.md``."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from onnx import (
    ModelProto,
    NodeProto,
    TensorProto,
    ValueInfoProto,
    defs,
    helper,
    shape_inference,
)

OPERATORS = Path(__file__).resolve().parents[1] / "operators"

Rewrite = Callable[[Any], Iterator[tuple[int, ModelProto]]]
"""From a test, the models, each with its opset, that ask of a version what the test asks."""


def nothing(node: NodeProto, schema: defs.OpSchema, case: Any) -> bool:
    return False


@dataclass(frozen=True)
class Exceptions:
    """The contents of an operator's ``onnx_tests.py``."""

    REWRITES: Mapping[int, Rewrite] = field(default_factory=dict)
    NEUTRAL: Collection[str] = ()
    UNTESTED: Collection[int] = ()
    REFUSED: Mapping[str, tuple[type[Exception], str]] = field(default_factory=dict)
    RANDOM: Collection[str] = ()
    ROUNDED: Mapping[str, float] = field(default_factory=dict)
    ATOL: Mapping[str, float] = field(default_factory=dict)
    CORRECTED: Mapping[str, Any] = field(default_factory=dict)
    differs: Callable[[NodeProto, defs.OpSchema, Any], bool] = nothing


@cache
def exceptions(operator: str) -> Exceptions:
    """The exceptions of an operator; none where it has no file."""
    path = OPERATORS / operator / "onnx_tests.py"
    if not path.exists():
        return Exceptions()
    spec = importlib.util.spec_from_file_location(f"onnx_tests_{operator}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    known = Exceptions.__dataclass_fields__
    return Exceptions(**{name: value for name, value in vars(module).items() if name in known})


@cache
def rewrites() -> dict[tuple[str, int], Rewrite]:
    """Every rewrite, by operator and version."""
    return {
        (path.parent.name, version): rewrite
        for path in sorted(OPERATORS.glob("*/onnx_tests.py"))
        for version, rewrite in exceptions(path.parent.name).REWRITES.items()
    }


def is_alone(model: ModelProto, operator: str) -> bool:
    """True if a model has nodes of one operator, and constants, alone: rewrites are for these."""
    return all(node.op_type in (operator, "Constant") for node in model.graph.node)


# For rewrites


def ends(case: Any) -> list[ValueInfoProto]:
    """The data and the outputs of a model."""
    return [case.model.graph.input[0], *case.model.graph.output]


def allowed(name: str, version: int, types: list[int]) -> bool:
    """True if an operator version, which has no other types than its first input's, has these."""
    words = {f"tensor({TensorProto.DataType.Name(type_).lower()})" for type_ in types}
    return words <= set(defs.get_schema(name, version, "").inputs[0].types)


def models(case: Any, nodes: list[NodeProto], opsets: range) -> Iterator[tuple[int, ModelProto]]:
    graph = case.model.graph
    rewritten = helper.make_graph(nodes, case.name, [graph.input[0]], graph.output)
    for opset in opsets:
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(rewritten, opset_imports=imports, ir_version=3)


def counts_from_the_end(node: NodeProto) -> bool:
    """Return whether a node has a negative axis."""
    return any(attribute.name == "axis" and attribute.i < 0 for attribute in node.attribute)


def is_of_last_axis(node: NodeProto, case: Any) -> bool:
    """True if the attribute ``axis`` of a node is given and names the last axis of its input."""
    axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), None)
    inferred = shape_inference.infer_shapes(case.model).graph
    for value in (*inferred.input, *inferred.value_info):
        if value.name == node.input[0] and value.type.tensor_type.HasField("shape"):
            return axis in (-1, len(value.type.tensor_type.shape.dim) - 1)
    return axis == -1


def broadcasts(node: NodeProto, case: Any) -> bool:
    """Return whether the inputs of a node, which the test gives, are not of one shape.

    Of inputs that other nodes compute, only what onnx infers is known; an open one counts.
    """
    inferred = shape_inference.infer_shapes(case.model, data_prop=True).graph
    typed = (*inferred.input, *inferred.value_info, *inferred.output)
    shapes: dict[str, tuple[Any, ...]] = {
        value.name: tuple(d.dim_value for d in value.type.tensor_type.shape.dim)
        for value in typed
        if value.type.tensor_type.HasField("shape")
        and all(d.HasField("dim_value") for d in value.type.tensor_type.shape.dim)
    }
    shapes |= {tensor.name: tuple(tensor.dims) for tensor in inferred.initializer}
    return any(shapes.get(name) is None for name in node.input) or (
        len({shapes[name] for name in node.input}) > 1
    )


def data_of(case: Any, name: str) -> Any:
    """The values of an input of a test that has one data set."""
    names = [value.name for value in case.model.graph.input]
    return case.data[0][0][names.index(name)]


def with_axes_as_attribute(
    case: Any, operator: str, version: int, opsets: range
) -> Iterator[tuple[int, ModelProto]]:
    """A test of one node whose second input is the axes, with these as an attribute.

    The other attributes stay, but ``noop_with_empty_axes`` of 0, which versions with the attribute
    mean.
    """
    if len(case.model.graph.node) != 1 or len(case.data) != 1:
        return
    [node] = case.model.graph.node
    types = [value.type.tensor_type.elem_type for value in ends(case)]
    if not 1 <= len(node.input) <= 2 or not allowed(operator, version, types):
        return
    kept = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    if kept.pop("noop_with_empty_axes", 0):
        return
    if len(node.input) == 2 and node.input[1]:
        axes = data_of(case, node.input[1]).tolist()
        if axes:
            kept["axes"] = axes
    made = helper.make_node(operator, node.input[:1], node.output, **kept)
    yield from models(case, [made], opsets)


def from_front(
    rewritten: Iterator[tuple[int, ModelProto]],
) -> Iterator[tuple[int, ModelProto]]:
    """The models of a rewrite whose axes all count from the front."""
    for opset, model in rewritten:
        [node] = model.graph.node
        given = [axis for one in node.attribute if one.name == "axes" for axis in one.ints]
        if min(given, default=0) >= 0:
            yield opset, model


def with_axes_as_attributes(operator: str, *versions: int, before: int) -> dict[int, Rewrite]:
    """Rewrites for the versions of an operator whose axes are an attribute.

    Args:
        operator: the operator.
        versions: these versions.
        before: the first version whose axes are an input.
    """

    def rewrite(version: int, opsets: range) -> Rewrite:
        return lambda case: with_axes_as_attribute(case, operator, version, opsets)

    ends_at = [*versions[1:], before]
    return {
        version: rewrite(version, range(version, end))
        for version, end in zip(versions, ends_at, strict=True)
    }
