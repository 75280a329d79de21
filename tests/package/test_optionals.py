"""Optionals in Python: ``None`` without contents, else the contents themselves."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from onnx import TypeProto, helper

import opmill
from opmill import opset15, opset18, opset28

A = np.arange(3, dtype=np.float32)
B = np.ones((2, 2), np.float32)
OPSETS = (opset15, opset18, opset28)

FLOATS = helper.make_tensor_type_proto(1, None)
SEQUENCE = helper.make_sequence_type_proto(FLOATS)
MAYBE = helper.make_optional_type_proto(FLOATS)
BOOL = helper.make_tensor_type_proto(9, [])


@pytest.mark.parametrize("op", OPSETS)
def test_contents_are_copied(op):
    for found in (op.optional(A), op.optional_get_element(A)):
        assert found.tolist() == A.tolist()
        assert not np.may_share_memory(found, A)
    for several in (op.optional([A, B]), op.optional_get_element([A, B])):
        assert isinstance(several, opmill.TensorSequence)
        assert [one.tolist() for one in several] == [A.tolist(), B.tolist()]
        assert not np.may_share_memory(several[0], A)


@pytest.mark.parametrize("op", OPSETS)
def test_an_optional_without_contents(op):
    assert op.optional(type="tensor(float)") is None
    assert op.optional(type="seq(tensor(int64))") is None
    assert op.optional_has_element(None).tolist() is False
    assert op.optional_has_element(A).tolist() is True
    assert op.optional_has_element([]).tolist() is True


@pytest.mark.skipif("c" not in opmill.backends(), reason="the native module is not built")
@pytest.mark.parametrize("version", [15, 28])
@pytest.mark.parametrize("given", [A, [A, B], [], None], ids=["tensor", "list", "empty", "none"])
def test_c_computes_optionals(version, given):
    attributes = {"type": "seq(tensor(float))"} if given is None else {}
    calls = [
        ("Optional", version, given, attributes),
        ("OptionalHasElement", version, given, {}),
        ("Identity", 25, given, {}),
    ]
    if given is not None:
        calls.append(("OptionalGetElement", version, given, {}))
    for name, number, value, named in calls:
        one = opmill.operator(name, number)
        assert one.explain([value], named).backend == "c"
        found = one([value], named)[0]
        if name == "OptionalHasElement":
            assert found.tolist() is (given is not None)
            continue
        assert type(found) is {list: opmill.TensorSequence}.get(type(given), type(given))
        pairs = zip(found, given, strict=True) if isinstance(given, list) else [(found, given)]
        for own, theirs in pairs:
            np.testing.assert_array_equal(own, theirs)
            assert given is None or not np.may_share_memory(own, theirs)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("version", [15, 18])
def test_a_sequence_of_another_type_is_refused(backend, version):
    values = [np.zeros(1, ml_dtypes.bfloat16)]
    with opmill.use_backend(backend), pytest.raises(opmill.TypeConstraintError) as caught:
        opmill.operator("OptionalHasElement", version)([values])
    assert "input has type seq(tensor(bfloat16)), expected one of seq(tensor(bool)), " in str(
        caught.value
    )


@pytest.mark.parametrize("backend", opmill.backends())
def test_out_is_no_place_for_the_contents_of_a_list(backend):
    with opmill.use_backend(backend), pytest.raises(opmill.OpError, match="out is given, expected"):
        opset18.optional_has_element([A], out=np.zeros((), bool))


def test_an_absent_input_has_no_contents():
    assert opset18.optional_has_element().tolist() is False
    with pytest.raises(opmill.OpError, match="number of inputs is 0, expected 1"):
        opmill.operator("OptionalHasElement", 15)([])


@pytest.mark.parametrize("op", OPSETS)
def test_contents_that_are_lacking_are_refused(op):
    words = r"OptionalGetElement-\d+: input is an optional without contents, expected one with"
    with pytest.raises(opmill.OpError, match=words):
        op.optional_get_element(None)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("tensor(real)", "attribute 'type' is tensor(real), expected one of seq(tensor(bool)), "),
        ("tensor(bfloat16)", "attribute 'type' is tensor(bfloat16), expected one of seq("),
        ("optional(tensor(float))", "attribute 'type' is optional(tensor(float)), expected one of"),
        ("float", "attribute 'type' is str 'float', expected TYPE_PROTO, as 'tensor(float)'"),
        (1, "attribute 'type' is int 1, expected TYPE_PROTO, as 'tensor(float)'"),
    ],
)
def test_a_type_that_is_none_is_refused(given, words):
    with pytest.raises(opmill.OpError) as caught:
        opset15.optional(type=given)
    assert type(caught.value).__name__ == "AttributeValueError"
    assert words in str(caught.value)


def model_of(nodes: list, inputs: list, outputs: list) -> opmill.Model:
    graph = helper.make_graph(
        nodes,
        "optionals",
        [helper.make_value_info(name, type_) for name, type_ in inputs],
        [helper.make_value_info(name, type_) for name, type_ in outputs],
    )
    opsets = [helper.make_opsetid("", 18)]
    return opmill.Model(helper.make_model(graph, opset_imports=opsets, ir_version=10))


def test_a_model_with_optionals():
    nodes = [
        helper.make_node("OptionalHasElement", ["x"], ["has"]),
        helper.make_node("Optional", [], ["none"], type=FLOATS),
        helper.make_node("Optional", ["s"], ["some"]),
        helper.make_node("OptionalGetElement", ["some"], ["t"]),
    ]
    outputs = [("has", BOOL), ("none", MAYBE), ("t", SEQUENCE)]
    model = model_of(nodes, [("x", MAYBE), ("s", SEQUENCE)], outputs)
    has, none, several = model.run([None, [A, B]])
    assert (has.tolist(), none, len(several)) == (False, None, 2)
    assert model.run([A, []])["has"].tolist() is True


def test_a_node_whose_type_is_none_is_refused():
    node = helper.make_node("Optional", [], ["none"], type=TypeProto())
    with pytest.raises(opmill.ModelError, match="attribute 'type' is no type"):
        model_of([node], [], [("none", MAYBE)])
