"""Versions of PRelu that differ for ONNX's tests."""

from __future__ import annotations

from onnx import NodeProto, defs

from onnx_suite import Case


def differs(node: NodeProto, schema: defs.OpSchema, case: Case) -> bool:
    """Return whether a 1-D slope has a value for each channel, which is axis 1 of X.

    From version 7 on a slope is aligned at the last axis.
    """
    if schema.since_version < 7:
        return False
    graph = case.model.graph
    X = case.data[0][0][0]
    shapes = {i.name: tuple(i.dims) for i in graph.initializer}
    shapes |= {n.output[0]: tuple(n.attribute[0].t.dims) for n in graph.node if not n.input}
    given = zip(graph.input, case.data[0][0], strict=False)
    shapes |= {value.name: array.shape for value, array in given}
    slope = shapes[node.input[1]]
    return len(slope) == 1 and slope[0] not in (1, X.shape[-1])
