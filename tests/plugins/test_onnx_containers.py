"""Models whose values are sequences and optionals, in ONNX's backend and the modules beside it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, TypeProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import opmill
from onnx_models import I64, F, model_of, refused, value
from opmill.onnx_backend import FeedError, ModelError, OnnxBackend
from opmill.onnx_reference import operators

A = np.arange(3, dtype=np.float32)
B = np.ones((2, 2), np.float32)

FLOATS = helper.make_tensor_type_proto(F, None)
FLAT = helper.make_tensor_type_proto(F, [None])
SEQUENCE = helper.make_sequence_type_proto(FLOATS)
MAYBE = helper.make_optional_type_proto(FLOATS)
MAYBE_SEQUENCE = helper.make_optional_type_proto(SEQUENCE)


def typed(name: str, type_: TypeProto):
    return helper.make_value_info(name, type_)


def identity(type_: TypeProto, made: TypeProto | None = None, opset: int = 16) -> ModelProto:
    """A model that hands its only input on, twice."""
    nodes = [
        helper.make_node("Identity", ["x"], ["t"], name="first"),
        helper.make_node("Identity", ["t"], ["y"], name="second"),
    ]
    return model_of(nodes, [typed("x", type_)], [typed("y", made or type_)], opset=opset)


def plain(given: object) -> object:
    """A value as lists, for comparisons."""
    if isinstance(given, (list, tuple)):
        return [plain(item) for item in given]
    return None if given is None else (given.dtype.name, given.tolist())


VALUES = [
    (SEQUENCE, [A, B]),
    (SEQUENCE, (A,)),
    (SEQUENCE, []),
    (MAYBE, None),
    (MAYBE, A),
    (MAYBE_SEQUENCE, None),
    (MAYBE_SEQUENCE, []),
    (MAYBE_SEQUENCE, [B]),
]


@pytest.mark.parametrize("backend", [None, *opmill.backends()])
@pytest.mark.parametrize(("type_", "given"), VALUES)
def test_it_runs(type_, given, backend):
    prepared = OnnxBackend.prepare(identity(type_))
    if backend is None:
        ((found),) = prepared.run([given])
    else:
        with opmill.use_backend(backend):
            ((found),) = prepared.run({"x": given})
    assert plain(found) == plain(given)
    assert not isinstance(found, tuple)


@pytest.mark.parametrize(("type_", "given"), [pair for pair in VALUES if pair[1] is not None])
def test_it_runs_in_the_reference_evaluator(type_, given):
    evaluator = ReferenceEvaluator(identity(type_), new_ops=operators())
    (found,) = evaluator.run(None, {"x": given})
    assert plain(found) == plain(given)


@pytest.mark.parametrize("ops", [None, operators()])
def test_the_reference_evaluator_takes_no_result_without_contents(ops):
    """Not from its own Identity, nor from ours; where it comes to, its docstring must follow."""
    evaluator = ReferenceEvaluator(identity(MAYBE), new_ops=ops)
    with pytest.raises(TypeError, match="has an unexpected type"):
        evaluator.run(None, {"x": None})


def test_an_output_that_is_an_input_is_a_copy():
    for type_, given in ((SEQUENCE, [A]), (MAYBE, A), (MAYBE, None)):
        model = model_of([], [typed("x", type_)], [typed("x", type_)], opset=16)
        (found,) = OnnxBackend.run_model(model, [given])
        assert plain(found) == plain(given)
        assert given is None or not np.may_share_memory(
            *(held[0] if isinstance(held, list) else held for held in (found, given))
        )


def test_an_initializer_may_stand_for_an_optional():
    model = identity(MAYBE)
    model.graph.initializer.append(numpy_helper.from_array(A, "x"))
    prepared = OnnxBackend.prepare(model)
    assert prepared.input_names == ()
    assert plain(prepared.run([])) == [plain(A)]
    assert prepared.run([None]) == (None,)


# What is refused


def test_an_optional_with_a_tensor_is_one_to_c():
    with opmill.use_backend(opmill.backends()[0]):
        assert plain(OnnxBackend.run_model(identity(MAYBE), [A])) == [plain(A)]


SIZED = helper.make_tensor_type_proto(F, [3, "n"])


@pytest.mark.parametrize(
    ("words", "type_", "given"),
    [
        ("input 'x' has type ndarray, expected a list of NumPy arrays", SEQUENCE, A),
        ("input 'x' has type NoneType, expected a list of NumPy arrays", SEQUENCE, None),
        ("input 'x' has type str, expected a list of NumPy arrays or None", MAYBE_SEQUENCE, "a"),
        ("input 'x' has type list, expected a NumPy array or None", MAYBE, [A]),
        ("element 1 of input 'x' has type float, expected a NumPy array", SEQUENCE, [A, 1.5]),
        ("element 0 of input 'x' has type NoneType, expected a NumPy array", SEQUENCE, [None]),
        (
            "element 1 of input 'x' has type int8, expected float",
            SEQUENCE,
            [A, np.ones(1, np.int8)],
        ),
        ("input 'x' has type int8, expected float", MAYBE, np.ones(1, np.int8)),
        ("input 'x' has shape [3], expected rank 2", helper.make_optional_type_proto(SIZED), A),
        (
            "element 1 of input 'x' has shape [2, 2], expected 3 at axis 0",
            helper.make_sequence_type_proto(SIZED),
            [np.ones((3, 4), np.float32), B],
        ),
    ],
)
def test_inputs_that_are_not_what_is_declared_are_refused(words, type_, given):
    prepared = OnnxBackend.prepare(identity(type_))
    with pytest.raises(FeedError, match=rf"\A{re.escape(words)}\Z"):
        prepared.run([given])


def test_a_name_among_the_dims_of_a_sequence_stands_for_no_number():
    prepared = OnnxBackend.prepare(identity(helper.make_sequence_type_proto(SIZED)))
    given = [np.ones((3, 4), np.float32), np.ones((3, 5), np.float32)]
    assert plain(prepared.run([given])) == [plain(given)]


@pytest.mark.parametrize(
    ("words", "made", "type_", "given"),
    [
        ("seq(tensor(float)), but is float", SEQUENCE, MAYBE, A),
        ("float, but is optional", FLAT, MAYBE, None),
        ("float, but is seq(tensor(float))", FLAT, SEQUENCE, [A]),
        ("seq(tensor(float)), but is optional", SEQUENCE, MAYBE_SEQUENCE, None),
        ("optional(tensor(float)), but is seq(tensor(float))", MAYBE, SEQUENCE, []),
        (
            "seq(tensor(double)), but is seq(tensor(float))",
            helper.make_sequence_type_proto(helper.make_tensor_type_proto(11, None)),
            SEQUENCE,
            [A],
        ),
    ],
)
def test_outputs_that_are_not_what_is_declared_are_an_error(words, made, type_, given):
    prepared = OnnxBackend.prepare(identity(type_, made))
    with pytest.raises(ModelError, match=rf"\Aoutput 'y' is declared as {re.escape(words)}\Z"):
        prepared.run([given])


@pytest.mark.parametrize(
    ("words", "type_"),
    [
        ("seq(seq(tensor(float)))", helper.make_sequence_type_proto(SEQUENCE)),
        ("seq(optional(tensor(float)))", helper.make_sequence_type_proto(MAYBE)),
        ("optional(optional(tensor(float)))", helper.make_optional_type_proto(MAYBE)),
        ("seq(...)", TypeProto(sequence_type=TypeProto.Sequence())),
        ("optional(...)", TypeProto(optional_type=TypeProto.Optional())),
        (
            "seq(map(int64, tensor(float)))",
            helper.make_sequence_type_proto(
                TypeProto(map_type=TypeProto.Map(key_type=7, value_type=FLOATS))
            ),
        ),
        ("sparse_tensor(float)", helper.make_sparse_tensor_type_proto(F, [2])),
    ],
)
def test_other_types_are_refused_where_a_node_reads_them(words, type_):
    with pytest.raises(
        opmill.TypeConstraintError, match=rf"input has type {re.escape(words)}, expected one of "
    ):
        OnnxBackend.prepare(identity(type_))
    model = identity(type_)
    model.graph.node[0].input[0] = "z"
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", F, [1]))
    model.graph.input.append(helper.make_tensor_value_info("z", F, [1]))
    loaded = opmill.Model(model)
    with pytest.raises(FeedError, match=rf"input 'x' is declared as {re.escape(words)}, expected"):
        loaded.run([{}, np.ones(1, np.float32)])
    assert opmill.Model(model).run({"z": np.ones(1, np.float32)}, outputs=["y"])[0].tolist() == [1]


@pytest.mark.parametrize("code", [0, 77])
def test_an_unknown_element_type_of_a_sequence_is_refused(code):
    type_ = helper.make_sequence_type_proto(helper.make_tensor_type_proto(code, None))
    refused(ModelError, f"input 'x' has an unknown element type, {code}", identity(type_))


def test_a_node_that_does_not_take_the_type_is_refused_before_a_run():
    refused(
        opmill.TypeConstraintError,
        "node 0 'first' of ai.onnx: Identity-13: input has type seq(tensor(float)), "
        "expected one of "
        "bfloat16, bool, complex128, complex64, double, float, float16, int16, int32, int64, int8, "
        "string, uint16, uint32, uint64, uint8",
        identity(SEQUENCE, opset=13),
    )


def test_a_type_that_came_through_another_node_is_known():
    nodes = [
        helper.make_node("Identity", ["n"], ["m"]),
        helper.make_node("Tile", ["x", "m"], ["y"]),
    ]
    counts = helper.make_optional_type_proto(helper.make_tensor_type_proto(I64, None))
    model = model_of(nodes, [value("x"), typed("n", counts)], [value("y")], opset=16)
    refused(
        opmill.TypeConstraintError,
        "node 1 of ai.onnx: Tile-13: repeats has type optional(tensor(int64)), expected int64",
        model,
    )


def test_an_optional_is_not_taken_for_an_input_that_may_be_absent():
    node = helper.make_node("ConvTranspose", ["x", "w", "b"], ["y"])
    shapes = [value("x", F, [1, 1, 2]), value("w", F, [1, 1, 1]), typed("b", MAYBE)]
    refused(
        opmill.TypeConstraintError,
        "node 0 of ai.onnx: ConvTranspose-11: B has type optional(tensor(float)), "
        "expected one of double, float, float16",
        model_of([node], shapes, [value("y", F, [None] * 3)], opset=16),
    )


def test_a_type_that_is_not_listed_names_those_of_its_kind():
    halves = helper.make_tensor_type_proto(TensorProto.BFLOAT16, None)
    with pytest.raises(opmill.TypeConstraintError) as caught:
        OnnxBackend.prepare(identity(helper.make_sequence_type_proto(halves)))
    assert caught.value.reason.startswith(
        "input has type seq(tensor(bfloat16)), expected one of seq(tensor(bool)), "
    )


def test_a_value_of_a_variadic_input_is_named():
    node = helper.make_node("Concat", ["x", "s"], ["y"], axis=0)
    sequence = typed("s", SEQUENCE)
    with pytest.raises(opmill.TypeConstraintError) as caught:
        OnnxBackend.prepare(model_of([node], [value("x"), sequence], [value("y")], opset=16))
    words = "inputs[1] has type seq(tensor(float)), expected one of bfloat16, bool, "
    assert caught.value.reason.startswith(words)


@pytest.mark.parametrize(("type_", "kind"), [(SEQUENCE, "sequence"), (MAYBE, "optional")])
def test_onnxruntime_is_handed_tensors_alone(type_, kind):
    from opmill.onnxruntime_ops import lowered

    words = f"node 0 'first': 'x' is of kind {kind}; opmill can be handed tensors alone"
    with pytest.raises(ModelError, match=rf"\A{re.escape(words)}\Z"):
        lowered(identity(type_), {"Identity"})
