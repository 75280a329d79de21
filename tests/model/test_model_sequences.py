"""Models that make sequences, in loops too, and give them back in memory of their own."""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx import ModelProto, TypeProto, helper

import opmill

FLOATS = helper.make_tensor_type_proto(1, None)
SEQUENCE = helper.make_sequence_type_proto(FLOATS)
INTEGER = helper.make_tensor_type_proto(7, [])
TRUTH = helper.make_tensor_type_proto(9, [])
X = np.array([10, 20], np.float32)


def typed(names: dict[str, TypeProto]) -> list:
    return [helper.make_value_info(name, type_) for name, type_ in names.items()]


def model_of(nodes: list, inputs: dict, outputs: dict) -> ModelProto:
    graph = helper.make_graph(nodes, "sequences", typed(inputs), typed(outputs))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def test_a_loop_that_collects():
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go"], ["goes"]),
            helper.make_node("Cast", ["i"], ["f"], to=1),
            helper.make_node("Add", ["f", "x"], ["y"]),
            helper.make_node("SequenceInsert", ["s", "y"], ["more"]),
        ],
        "body",
        typed({"i": INTEGER, "go": TRUTH, "s": SEQUENCE}),
        typed({"goes": TRUTH, "more": SEQUENCE}),
    )
    nodes = [
        helper.make_node("SequenceEmpty", [], ["none"]),
        helper.make_node("Loop", ["n", "", "none"], ["all"], body=body),
        helper.make_node("ConcatFromSequence", ["all"], ["z"], axis=0, new_axis=1),
        helper.make_node("SequenceLength", ["all"], ["count"]),
    ]
    outputs = {"all": SEQUENCE, "z": FLOATS, "count": INTEGER}
    model = opmill.Model(model_of(nodes, {"n": INTEGER, "x": FLOATS}, outputs))
    found = model.run([np.array(3), X])
    expected = [[10, 20], [11, 21], [12, 22]]
    assert [one.tolist() for one in found["all"]] == expected
    assert found["z"].tolist() == expected
    assert found["count"].tolist() == 3


def test_results_are_the_caller_s_own():
    nodes = [
        helper.make_node("Constant", [], ["k"], value=helper.make_tensor("k", 1, [2], [4.0, 5.0])),
        helper.make_node("SequenceConstruct", ["k", "x"], ["s"]),
    ]
    model = opmill.Model(model_of(nodes, {"x": FLOATS}, {"s": SEQUENCE}))
    given = X.copy()
    for _ in range(2):
        found = model.run([given])["s"]
        assert [one.tolist() for one in found] == [[4, 5], [10, 20]]
        for one in found:
            one[:] = 0


def test_a_type_is_known_through_nodes():
    nodes = [
        helper.make_node("SequenceConstruct", ["x"], ["s"]),
        helper.make_node("SequenceInsert", ["s", "x"], ["t"]),
        helper.make_node("Add", ["t", "x"], ["y"]),
    ]
    words = re.escape("Add-14: A has type seq(tensor(float)), expected one of ")
    with pytest.raises(opmill.TypeConstraintError, match=words):
        opmill.Model(model_of(nodes, {"x": FLOATS}, {"y": FLOATS}))
