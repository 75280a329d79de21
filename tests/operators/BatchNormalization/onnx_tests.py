"""ONNX's tests of BatchNormalization, in the words of the versions that have `is_test`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from onnx import ModelProto, NodeProto, defs, helper

from onnx_rewrites import Rewrite

UNTESTED = {7, 9}
"""Versions that no test of ONNX reaches: those of others have another signature, and are not
rewritten."""


def differs(node: NodeProto, schema: defs.OpSchema, case: Any) -> bool:
    """Without is_test, a node of these versions trains."""
    return bool(schema.since_version < 7)


def in_inference(case: Any, *, version: int, opsets: range) -> Iterator[tuple[int, ModelProto]]:
    """The same, with is_test, and in version 1 with consumed_inputs."""
    graph = case.model.graph
    nodes = [node for node in graph.node if node.op_type == "BatchNormalization"]
    if len(nodes) != len(graph.node) or any(len(node.output) > 1 for node in nodes):
        return
    rewritten = []
    for node in nodes:
        copy = NodeProto()
        copy.CopyFrom(node)
        del copy.attribute[:]
        copy.attribute.extend(a for a in node.attribute if a.name in ("epsilon", "momentum"))
        copy.attribute.append(helper.make_attribute("is_test", 1))
        if version == 1:
            copy.attribute.append(helper.make_attribute("consumed_inputs", [0, 0, 0, 1, 1]))
        rewritten.append(copy)
    asked = helper.make_graph(
        rewritten, case.name, graph.input, graph.output, initializer=graph.initializer
    )
    for opset in opsets:
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(asked, opset_imports=imports, ir_version=3)


REWRITES: dict[int, Rewrite] = {
    1: partial(in_inference, version=1, opsets=range(1, 6)),
    6: partial(in_inference, version=6, opsets=range(6, 7)),
}
