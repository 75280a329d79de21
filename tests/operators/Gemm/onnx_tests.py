"""ONNX's tests of Gemm, in the words of the versions that require C."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from onnx import ModelProto, defs, helper

from onnx_rewrites import allowed
from onnx_suite import Case


def with_c(version: int, opsets: range, case: Case) -> Iterator[tuple[int, ModelProto]]:
    """The same node at an earlier opset, where it has all three inputs."""
    graph = case.model.graph
    if len(graph.node) != 1 or len([name for name in graph.node[0].input if name]) != 3:
        return
    types = [value.type.tensor_type.elem_type for value in (*graph.input, *graph.output)]
    known = set(defs.get_schema("Gemm", version, "").attributes)
    given = {attribute.name for attribute in graph.node[0].attribute}
    if not allowed("Gemm", version, types) or not given <= known:
        return
    for opset in opsets:
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(graph, opset_imports=imports, ir_version=3)


REWRITES = {7: partial(with_c, 7, range(7, 9)), 9: partial(with_c, 9, range(9, 11))}
