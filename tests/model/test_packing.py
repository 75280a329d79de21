"""``opmill.Model``: weights are packed when a model is read, and nothing else is."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)

RANDOM = np.random.default_rng(0)
W = RANDOM.standard_normal((40, 3, 3, 3)).astype(np.float32)
V = RANDOM.standard_normal((40, 70)).astype(np.float32)
U = RANDOM.standard_normal((7, 70)).astype(np.float32)
X = RANDOM.standard_normal((6, 3, 9, 9)).astype(np.float32)


def network():
    """A convolution, a product whose weights are an input too, a product of folded weights."""
    nodes = [
        helper.make_node("Conv", ["x", "W"], ["a"]),
        helper.make_node("GlobalMaxPool", ["a"], ["b"]),
        helper.make_node("Flatten", ["b"], ["c"]),
        helper.make_node("MatMul", ["c", "V"], ["d"]),
        helper.make_node("Transpose", ["U"], ["t"], perm=[1, 0]),
        helper.make_node("Gemm", ["d", "t"], ["y"]),
    ]
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3, 9, 9]),
        helper.make_tensor_value_info("V", TensorProto.FLOAT, [40, 70]),
    ]
    outputs = [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 7]),
        helper.make_tensor_value_info("V2", TensorProto.FLOAT, [40, 70]),
    ]
    nodes.append(helper.make_node("Neg", ["V"], ["V2"]))
    constants = [numpy_helper.from_array(v, n) for v, n in ((W, "W"), (V, "V"), (U, "U"))]
    graph = helper.make_graph(nodes, "g", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model


def kernels(model, inputs):
    with model.trace() as trace:
        model.run(inputs)
    computed = [node for node in trace.nodes if node.kernel != "view"]
    return {node.operator.split("-")[0]: node.kernel.split()[1] for node in computed}


def by_hand(v):
    from opmill import opset13 as op

    a = op.flatten(op.global_max_pool(op.conv(X, W)))
    return op.gemm(op.mat_mul(a, v), op.transpose(U, perm=[1, 0]))


def test_weights_are_packed_and_no_bit_changes():
    model = opmill.Model(network())
    assert model.packed_bytes > V.nbytes
    found = kernels(model, [X])
    if next(iter(opmill.instruction_sets())) != "plain":
        assert found["Conv"] == "packed_maps"
    assert (found["MatMul"], found["Gemm"]) == ("packed_panels", "packed_panels")
    y, negative = model.run([X])
    assert y.tobytes() == by_hand(V).tobytes()
    assert (negative == -V).all()


def test_a_default_that_is_given_is_not_packed():
    model = opmill.Model(network())
    before = model.packed_bytes
    given = {"x": X, "V": V * 2}
    found = kernels(model, given)
    assert (found["MatMul"], found["Gemm"]) == ("panels", "packed_panels")
    assert model.run(given)["y"].tobytes() == by_hand(V * 2).tobytes()
    assert kernels(model, [X])["MatMul"] == "packed_panels"
    assert model.packed_bytes >= before


def test_each_choice_packs_for_itself():
    model = opmill.Model(network())
    before = model.packed_bytes
    for name in opmill.instruction_sets():
        with opmill.use_instruction_set(name):
            assert model.run([X])["y"].tobytes() == by_hand(V).tobytes()
    assert model.packed_bytes > before
    with opmill.use_backend("numpy"):
        assert model.run([X])["y"].tobytes() == by_hand(V).tobytes()


def products(count, *, transposed=False):
    """Products one after the other, all with one weight."""
    weight = np.eye(96, dtype=np.float32)
    nodes = [helper.make_node("MatMul", [f"h{k}", "W"], [f"h{k + 1}"]) for k in range(count)]
    if transposed:
        nodes = [
            helper.make_node("Transpose", ["W"], ["t"]),
            *(helper.make_node("MatMul", [f"h{k}", "t"], [f"h{k + 1}"]) for k in range(count)),
        ]
    names = [f"h{k + 1}" for k in range(count)]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("h0", TensorProto.FLOAT, ["n", 96])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 96]) for name in names],
        [numpy_helper.from_array(weight, "W")],
    )
    message = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    message.ir_version = 8
    return message


@pytest.mark.parametrize("transposed", [False, True])
def test_nodes_that_read_one_constant_share_its_packed_form(transposed):
    one = opmill.Model(products(1, transposed=transposed)).packed_bytes
    model = opmill.Model(products(8, transposed=transposed))
    assert model.packed_bytes == one > 0
    x = RANDOM.standard_normal((7, 96)).astype(np.float32)
    assert model.run([x])["h8"].tobytes() == x.tobytes()
    for name in ("h3", "h5"):  # other plans
        assert model.run([x], outputs=[name])[0].tobytes() == x.tobytes()
    assert model.packed_bytes == one
    for copied in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert copied.run([x])["h8"].tobytes() == x.tobytes()
        assert copied.packed_bytes == one


def test_other_attributes_have_packed_forms_of_their_own():
    weight = RANDOM.standard_normal((96, 96)).astype(np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("Gemm", ["x", "W"], ["y"]),
            helper.make_node("Gemm", ["x", "W"], ["z"], transB=1),
        ],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 96])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 96]) for name in "yz"],
        [numpy_helper.from_array(weight, "W")],
    )
    message = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    message.ir_version = 8
    x = RANDOM.standard_normal((7, 96)).astype(np.float32)
    y, z = opmill.Model(message).run([x])
    np.testing.assert_allclose(y, x @ weight, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(z, x @ weight.T, rtol=1e-4, atol=1e-4)
