"""ONNX's tests of Dropout: those of copies at versions that have `is_test`, and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from onnx import ModelProto, NodeProto, helper

from onnx_rewrites import Rewrite
from onnx_suite import Case

RANDOM = {
    "test_training_dropout",
    "test_training_dropout_default",
    "test_training_dropout_default_mask",
    "test_training_dropout_mask",
}
"""Their values are drawn with NumPy's Mersenne Twister, which the text does not name."""


def copies(case: Case, *, opsets: range) -> Iterator[tuple[int, ModelProto]]:
    """The tests of version 10, which only copies, with is_test."""
    graph = case.model.graph
    if not case.name.endswith("_old"):
        return
    [node] = graph.node
    copy = NodeProto()
    copy.CopyFrom(node)
    copy.attribute.append(helper.make_attribute("is_test", 1))
    asked = helper.make_graph([copy], case.name, graph.input, graph.output)
    for opset in opsets:
        imports = [helper.make_opsetid("", opset)]
        yield opset, helper.make_model(asked, opset_imports=imports, ir_version=3)


REWRITES: dict[int, Rewrite] = {
    1: partial(copies, opsets=range(1, 6)),
    6: partial(copies, opsets=range(6, 7)),
}
