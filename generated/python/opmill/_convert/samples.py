"""Calls that copy elements, as one Gather along each axis.

Which element goes where is found while converting: the operator runs on an array that counts along
one axis. This needs sizes that are known, and inputs after the first that are constants.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from opmill._convert.facts import Refusal
from opmill._convert.folding import arguments, run
from opmill._convert.fragment import Call, Fresh
from opmill._onnx.catalog import MAIN_DOMAIN
from opmill._runtime.registry import operator

_MAX_ELEMENTS = 1 << 24
"""Integers up to this are exact in float."""


def gathered(call: Call, fresh: Fresh) -> list[NodeProto]:
    """The Gather nodes of a call.

    Raises:
        Refusal: sizes are unknown, or the call computes something else than copies.
    """
    first, *others = call.schema.inputs
    source, target = call.inputs[first.name], call.outputs[call.schema.outputs[0].name]
    dims = call.dims(source)
    if not 0 < math.prod(dims) <= _MAX_ELEMENTS or not dims:
        raise Refusal(f"{first.name} has dims {dims}, expected 1 to {_MAX_ELEMENTS} elements")
    inputs = [call.inputs[one.name] for one in others]
    rest = [call.scope.constant(one) if one.name else None for one in inputs]
    nodes: list[NodeProto] = []
    value = source.name
    for axis, size in enumerate(dims):
        picked = _picked(call, dims, axis, rest)
        if picked == list(range(size)):
            continue
        indices = fresh.constant(np.asarray(picked, np.int64))
        result = fresh.name(first.name)
        nodes.append(helper.make_node("Gather", [value, indices], [result], axis=axis))
        value = result
    if not nodes:
        return [helper.make_node("Identity", [source.name], [target.name])]
    nodes[-1].output[0] = target.name
    return nodes


def _picked(call: Call, dims: list[int], axis: int, rest: list[Any]) -> list[int]:
    """The element along an axis that each element of the result is a copy of."""
    schema, size = call.schema, dims[axis]
    shape = [size if k == axis else 1 for k in range(len(dims))]
    ramp = np.broadcast_to(np.arange(size, dtype=np.float32).reshape(shape), dims).copy()
    attributes = arguments(call.node.attribute)
    if attributes is None:
        raise Refusal("an attribute refers to an attribute of a function")
    kernel = operator(schema.name, schema.since_version, MAIN_DOMAIN)
    results = run(kernel, [ramp, *rest], attributes, len(call.node.output))
    if not results or not results[0].size or results[0].ndim != len(dims):
        raise Refusal(f"{schema.label} of {dims} has no elements, or is not legal")
    (result,) = results[:1]
    line = result[tuple(slice(None) if k == axis else slice(1) for k in range(len(dims)))]
    indices = line.ravel()
    is_copy = (line == result).all() and ((indices >= 0) & (indices < size)).all()
    if not is_copy or not (indices == np.floor(indices)).all():
        raise Refusal(f"{schema.label} computes elements, expected copies")
    return [int(one) for one in indices]
