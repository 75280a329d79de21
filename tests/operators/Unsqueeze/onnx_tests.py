"""ONNX's tests of Unsqueeze, in the words of the versions whose axes are an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, NodeProto, defs

from onnx_rewrites import from_front, with_axes_as_attribute
from onnx_suite import Case, nodes_of


def unsqueeze_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Unsqueeze-1 counts axes from the front alone."""
    yield from from_front(with_axes_as_attribute(case, "Unsqueeze", 1, range(1, 11)))


def unsqueeze_11(case: Case) -> Iterator[tuple[int, ModelProto]]:
    yield from with_axes_as_attribute(case, "Unsqueeze", 11, range(11, 13))


REWRITES = {1: unsqueeze_1, 11: unsqueeze_11}


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Since version 23 a scalar does not stand for a list of one axis."""
    made = {name: one for one in nodes_of(case.model.graph) for name in one.output}
    source = made.get(node.input[1]) if len(node.input) > 1 else None
    return schema.since_version >= 23 and source is not None and _is_scalar(source)


def _is_scalar(node: NodeProto) -> bool:
    """Return whether a Constant gives a tensor of rank 0."""
    given = {one.name: one for one in node.attribute} if node.op_type == "Constant" else {}
    return "value_int" in given or ("value" in given and not given["value"].t.dims)
