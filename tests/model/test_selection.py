"""``opmill.Model``: what is computed of a constant in front of a Gather is computed behind it.

Results are compared by their bits with calls of the operators in the order of the model.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill
from opmill import opset21 as op

ROWS, COLUMNS = 700, 600  # float32 of 1.6 MiB: large enough to be computed behind a selection
TABLE = np.random.default_rng(1).integers(-128, 128, (ROWS, COLUMNS)).astype(np.int8)
SCALE, ZERO = np.float32(0.037), np.int8(3)
INDICES = {
    "a scalar": np.array(-1),
    "one": np.array([5]),
    "a list": np.array([3, 3, -600, 599, 0], np.int32),
    "a matrix": np.array([[1, 2, 3], [-1, -2, 4]]),
    "none": np.zeros((2, 0), np.int64),
}


def model_of(nodes, constants, indices, outputs=("y",)):
    """A model of nodes with the input ``i``; constants by name."""
    element = helper.np_dtype_to_tensor_dtype(indices.dtype)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("i", element, None)],
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    message = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    message.ir_version = 10
    return opmill.Model(message)


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs.split(), [output], **attributes)


def largest(model, inputs):
    """The outputs of a run, and the largest number of elements that a node computed."""
    with model.trace() as trace:
        outputs = model.run(inputs)
    return outputs, max(math.prod(one.outputs[0]) for one in trace.nodes)


def check(nodes, constants, expected, elements):
    """Compare for all kinds of indices; no node may compute more elements than are selected."""
    for words, indices in INDICES.items():
        for backend in opmill.backends():
            with opmill.use_backend(backend):
                outputs, count = largest(model_of(nodes, constants, indices), {"i": indices})
                wanted = expected(indices)
            assert (outputs[0].dtype, outputs[0].shape) == (wanted.dtype, wanted.shape), words
            assert outputs[0].tobytes() == wanted.tobytes(), words
            assert count == indices.size * elements, words


def test_a_dequantised_embedding():
    nodes = [
        node("DequantizeLinear", "w s z", "f"),
        node("Gather", "f i", "y"),
    ]
    whole = op.dequantize_linear(TABLE, SCALE, ZERO)
    constants = {"w": TABLE, "s": SCALE, "z": ZERO}
    check(nodes, constants, lambda i: op.gather(whole, i), COLUMNS)
    check(nodes, {**constants, "s": SCALE[None]}, lambda i: op.gather(whole, i), COLUMNS)
    nodes[1] = node("Gather", "f i", "y", axis=-1)
    check(nodes, constants, lambda i: op.gather(whole, i, axis=-1), ROWS)


@pytest.mark.parametrize("axis", [0, 1, -2])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (ROWS, 1), (1, COLUMNS), (COLUMNS,)])
def test_scales_of_rows_and_columns(shape, axis):
    scales = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    nodes = [
        node("Cast", "w", "c", to=TensorProto.FLOAT),
        node("Mul", "s c", "m"),
        node("Gather", "m i", "y", axis=axis),
    ]
    whole = op.mul(scales, op.cast(TABLE, to=np.float32))
    constants = {"w": TABLE, "s": scales}
    elements = ROWS if axis == 1 else COLUMNS
    for words, indices in INDICES.items():
        outputs, count = largest(model_of(nodes, constants, indices), {"i": indices})
        assert outputs[0].tobytes() == op.gather(whole, indices, axis=axis).tobytes(), words
        # A matrix for the other axis is not selected from: the table is then a constant.
        assert count == indices.size * elements, words


def random_graph(rng, dtype):
    """Elementwise nodes in front of a Gather, their constants, and what they compute."""
    shape = tuple(rng.permutation([int(rng.integers(1, 4)), 640, 900]))
    axis = int(rng.integers(-3, 3))
    value = rng.standard_normal(shape).astype(dtype)
    value.ravel()[rng.integers(0, value.size, 900)] = rng.choice([np.nan, np.inf, -0.0, 1e-41])
    constants, nodes, name = {"w": value}, [], "w"
    for k in range(int(rng.integers(1, 4))):
        operator = str(rng.choice(["Mul", "Add", "Sub", "Div"]))
        dims = [int(dim) if rng.random() < 0.5 else 1 for dim in shape]
        other = rng.standard_normal(dims[int(rng.integers(0, 4)) :]).astype(dtype)
        constants[f"c{k}"] = other
        first = rng.random() < 0.5
        nodes.append(node(operator, f"{name} c{k}" if first else f"c{k} {name}", f"v{k}"))
        function = getattr(op, operator.lower())
        value = function(value, other) if first else function(other, value)
        name = f"v{k}"
    nodes.append(node("Gather", f"{name} i", "y", axis=axis))
    return nodes, constants, value, axis


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_graphs(seed, dtype):
    rng = np.random.default_rng(seed)
    nodes, constants, whole, axis = random_graph(rng, dtype)
    dim = whole.shape[axis]
    for shape in ((), (3,), (2, 3)):
        indices = rng.integers(-dim, dim, shape)
        (y,) = model_of(nodes, constants, indices).run({"i": indices})
        expected = op.gather(whole, indices, axis=axis)
        assert (y.dtype, y.shape) == (expected.dtype, expected.shape)
        assert y.tobytes() == expected.tobytes()


def test_what_others_read_stays_a_constant():
    nodes = [
        node("DequantizeLinear", "w s z", "f"),
        node("Gather", "f i", "y"),
        node("ReduceSum", "f", "z_"),
    ]
    constants = {"w": TABLE, "s": SCALE, "z": ZERO}
    indices = INDICES["a list"]
    whole = op.dequantize_linear(TABLE, SCALE, ZERO)
    with_sum = model_of(nodes, constants, indices, ("y", "z_"))
    with with_sum.trace() as trace:
        y, _ = with_sum.run({"i": indices})
    assert [one.operator for one in trace.nodes] == ["Gather-13"]
    assert y.tobytes() == op.gather(whole, indices).tobytes()
    with_table = model_of(nodes[:2], constants, indices, ("y", "f"))
    assert with_table.run({"i": indices})["f"].tobytes() == whole.tobytes()
    twice = [*nodes[:1], node("Gather", "f i", "y"), node("Gather", "f i", "x", axis=1)]
    outputs, count = largest(model_of(twice, constants, indices, ("y", "x")), {"i": indices})
    assert outputs["x"].tobytes() == op.gather(whole, indices, axis=1).tobytes()
    assert count == indices.size * ROWS


def test_scales_of_an_axis_and_small_tables_stay_constants():
    scales = np.linspace(0.1, 1, ROWS, dtype=np.float32)
    nodes = [node("DequantizeLinear", "w s", "f", axis=0), node("Gather", "f i", "y")]
    indices = INDICES["a matrix"]
    for table, scale in ((TABLE, scales), (TABLE[:50], scales[:50])):
        model = model_of(nodes, {"w": table, "s": scale}, indices)
        with model.trace() as trace:
            (y,) = model.run({"i": indices})
        assert [one.operator for one in trace.nodes] == ["Gather-13"]
        whole = op.dequantize_linear(table, scale, axis=0)
        assert y.tobytes() == op.gather(whole, indices).tobytes()


def test_a_position_that_is_out_of_range_is_the_gathers():
    nodes = [node("DequantizeLinear", "w s z", "f"), node("Gather", "f i", "y")]
    model = model_of(nodes, {"w": TABLE, "s": SCALE, "z": ZERO}, INDICES["one"])
    with pytest.raises(
        opmill.OpError, match=r"^node 1 .*Gather-13: indices\[0\] = 700 .*-700 to 699$"
    ):
        model.run({"i": np.array([ROWS])})
