"""Sequences in Python: lists of arrays that know their type, shared and not copied."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import helper

import opmill
from native_calls import needs_c
from opmill import opset24 as op

A = np.arange(3, dtype=np.float32)
B = np.ones((2, 2), np.float32)
I64 = np.dtype(np.int64)


def at(position: int) -> Any:
    return np.array(position, np.int64)


def test_a_sequence_is_a_list_that_knows_its_dtype():
    found = op.sequence_construct(A, B)
    assert isinstance(found, list)
    assert isinstance(found, opmill.TensorSequence)
    assert found.dtype == np.float32
    assert op.sequence_empty().dtype == np.float32
    assert op.sequence_empty(dtype="int64").dtype == I64
    assert op.sequence_erase([A]).dtype == np.float32


def test_the_tensors_are_those_that_are_given():
    found = op.sequence_insert(op.sequence_construct(A, B), A)
    assert [one is other for one, other in zip(found, (A, B, A), strict=True)] == [True] * 3
    assert op.sequence_erase(found, at(1))[1] is A
    assert not np.may_share_memory(op.sequence_at(found, at(0)), A)
    assert not any(np.may_share_memory(part, B) for part in op.split_to_sequence(B))


def test_the_list_that_is_given_stays_as_it_is():
    sequence = [A, B]
    op.sequence_insert(sequence, A, at(0))
    op.sequence_erase(sequence)
    assert len(sequence) == 2


def test_a_tensor_sequence_of_ones_own():
    assert opmill.TensorSequence([], np.int8).dtype == np.int8
    assert opmill.TensorSequence([], "bfloat16").dtype == "bfloat16"
    assert opmill.TensorSequence().dtype is None
    assert opmill.TensorSequence([A], "int8").dtype == np.float32
    with pytest.raises(TypeError, match="'real' is no element type of ONNX"):
        opmill.TensorSequence([], "real")


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))]
)
def test_it_is_copied_with_its_type(copied):
    found = copied(op.sequence_empty(dtype="int64"))
    assert (type(found), len(found), found.dtype) == (opmill.TensorSequence, 0, I64)


def test_a_plain_empty_list_is_of_any_type():
    assert op.sequence_insert([], A).dtype == np.float32
    assert op.sequence_insert((), B.astype(I64)).dtype == I64
    assert op.sequence_length([]) == 0
    typed = opmill.TensorSequence([], np.int8)
    with pytest.raises(opmill.TypeConstraintError, match="tensor has type float, expected int8"):
        op.sequence_insert(typed, A)


def test_strings_stay_in_their_arrays():
    texts = np.array(["a", "bc"])
    (found,) = op.sequence_construct(texts)
    assert found is texts
    assert op.sequence_at([texts], at(0)).tolist() == ["a", "bc"]
    assert op.concat_from_sequence([texts, texts], axis=0).tolist() == ["a", "bc"] * 2


def test_infer_tells_the_shapes_of_a_sequence():
    def infer(name: str, *inputs: Any, **attributes: Any) -> Any:
        version = 24 if name == "SplitToSequence" else 11
        return opmill.operator(name, version).infer(inputs, attributes)[0]

    described = opmill.TensorType("float", (3, 2), (3, 2))
    one = opmill.TensorType("float", (1, 2), (1, 2))
    assert infer("SequenceConstruct", described) == [described]
    assert infer("SequenceInsert", [described], one) == [described, one]
    assert infer("SequenceAt", [described, one], at(-1)) == one
    assert infer("SplitToSequence", described) == [one] * 3
    assert infer("SequenceEmpty") == []
    assert infer("ConcatFromSequence", [described, one], axis=0).shape == (4, 2)


REFUSED = {
    "an array": (
        lambda: op.sequence_length(A),
        "input_sequence has type ndarray, expected a list of arrays",
    ),
    "nothing": (
        lambda: op.sequence_length(None),
        "input 'input_sequence' is absent, expected a value",
    ),
    "numbers": (
        lambda: op.sequence_length([1.5]),
        "input_sequence[0] has type float, expected a NumPy array",
    ),
    "two types": (
        lambda: op.sequence_length([A, B.astype(I64)]),
        "input_sequence has tensors of types float and int64, expected one type",
    ),
    "another type": (
        lambda: op.sequence_insert([A], B.astype(I64)),
        "tensor has type int64, expected float (the type of input_sequence)",
    ),
    "a part for each of many rows": (
        lambda: op.split_to_sequence(np.empty((2**20 + 1, 0), np.float32)),
        "axis 0 has size 1048577, expected at most 1048576 (one part each)",
    ),
    "many parts": (
        lambda: op.split_to_sequence(np.empty((2**60, 0), np.float32), at(2)),
        "number of parts is 576460752303423488, expected at most 1048576",
    ),
    "a buffer": (
        lambda: op.sequence_construct(A, out=A),
        "out is given, expected none where output_sequence is a sequence",
    ),
    "a type of no sequence": (
        lambda: op.sequence_length([A.astype("bfloat16")]),
        "input_sequence has type seq(tensor(bfloat16)), expected one of seq(tensor(bool)), ",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, words = REFUSED[case]
    with pytest.raises(opmill.OpError) as caught:
        call()
    assert words in str(caught.value)


@needs_c
@pytest.mark.parametrize("backend", opmill.backends())
def test_each_backend_computes_sequences(backend: str):
    assert opmill.operator("SequenceAt", 11).backends == ("c", "numpy")
    texts = np.array(["a", "b"])
    with opmill.use_backend(backend):
        np.testing.assert_array_equal(op.sequence_at([A, B], at(1)), B)
        np.testing.assert_array_equal(op.sequence_at([texts], at(0)), texts)
        inserted = op.sequence_insert([A], B, at(0))
        parts = op.split_to_sequence(B, at(1))
    assert inserted[0] is B
    assert inserted[1] is A
    assert [part.tolist() for part in parts] == [[[1, 1]], [[1, 1]]]


# onnxruntime

FLOATS = helper.make_tensor_type_proto(1, None)
SEQUENCE = helper.make_sequence_type_proto(FLOATS)
POSITION = helper.make_tensor_type_proto(7, None)


def other(name: str, types: list[Any], result: Any, values: list[Any], **attributes: Any) -> Any:
    """Return onnxruntime's result; ``None`` if it refuses the call."""
    names = [f"in{k}" for k in range(len(values))]
    graph = helper.make_graph(
        [helper.make_node(name, names, ["out"], **attributes)],
        "call",
        [helper.make_value_info(n, t) for n, t in zip(names, types, strict=True)],
        [helper.make_value_info("out", result)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        return session.run(None, dict(zip(names, values, strict=True)))[0]
    except Exception:
        return None


def ours(name: str, values: list[Any], **attributes: Any) -> Any:
    """Return the result of this package; ``None`` if it refuses the call."""
    try:
        return opmill.operator(name, 11)(values, attributes)[0]
    except opmill.OpError:
        return None


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(one) for one in value]
    return None if value is None else (value.shape, value.tolist())


def tensor(shape: tuple[int, ...]) -> Any:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
SEQUENCES = st.lists(SHAPES, min_size=1, max_size=4).map(lambda shapes: [*map(tensor, shapes)])
ALIKE = st.tuples(st.lists(st.integers(1, 3), max_size=2).map(tuple), st.integers(1, 3))
QUICK = settings(max_examples=60, derandomize=True, database=None, deadline=None)


@QUICK
@given(SEQUENCES, st.integers(-6, 6))
def test_positions_are_those_of_onnxruntime(sequence, position):
    where = at(position)
    types = [SEQUENCE, POSITION]
    for name, result in (("SequenceAt", FLOATS), ("SequenceErase", SEQUENCE)):
        expected = other(name, types, result, [sequence, where])
        assert plain(ours(name, [sequence, where])) == plain(expected)
    given_ = [sequence, A, where]
    expected = other("SequenceInsert", [SEQUENCE, FLOATS, POSITION], SEQUENCE, given_)
    assert plain(ours("SequenceInsert", given_)) == plain(expected)


@QUICK
@given(ALIKE, st.integers(-3, 3), st.integers(0, 1))
def test_what_is_laid_together_is_that_of_onnxruntime(alike, axis, new_axis):
    sequence = [tensor(alike[0])] * alike[1]
    attributes = {"axis": axis, "new_axis": new_axis}
    expected = other("ConcatFromSequence", [SEQUENCE], FLOATS, [sequence], **attributes)
    assert plain(ours("ConcatFromSequence", [sequence], **attributes)) == plain(expected)


@QUICK
@given(
    SHAPES.filter(len),
    st.integers(-3, 3),
    st.none() | st.integers(-1, 4) | st.lists(st.integers(0, 3), min_size=1, max_size=3),
)
def test_parts_are_those_of_onnxruntime(shape, axis, split):
    values = [tensor(shape)] + ([] if split is None else [np.array(split, np.int64)])
    types = [FLOATS, POSITION][: len(values)]
    expected = other("SplitToSequence", types, SEQUENCE, values, axis=axis)
    assert plain(ours("SplitToSequence", values, axis=axis)) == plain(expected)
