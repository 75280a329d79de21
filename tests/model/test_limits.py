"""``opmill.Model``: a Relu or Clip is computed with the Conv before it; no bit differs for that."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)

# Channels, maps, group, kernel, stride, padding, size: every variant of the kernel, and rows that
# are shorter and longer than a vector.
LAYERS = (
    (3, 40, 1, 3, 1, 1, 9),
    (3, 40, 1, 3, 2, 1, 17),
    (4, 24, 1, 1, 1, 0, 20),
    (70, 37, 1, 1, 1, 0, 5),
    (300, 33, 1, 3, 1, 1, 6),
    (5, 2, 1, 3, 1, 1, 23),
    (16, 16, 16, 3, 1, 1, 33),
    (16, 16, 16, 3, 2, 1, 14),
    (16, 16, 16, 3, 1, 1, 7),
    (16, 16, 16, 5, 1, 2, 14),
    (9, 9, 9, 5, 2, 2, 40),
    (6, 12, 6, 3, 1, 0, 3),
    (8, 8, 8, 7, 1, 3, 11),
    (9, 4, 1, 5, 3, 0, 40),
)


def value(name, shape, type_=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, type_, shape)


def model_of(nodes, inputs, outputs, constants, opset=13):
    graph = helper.make_graph(
        nodes, "g", inputs, outputs, [numpy_helper.from_array(v, n) for n, v in constants.items()]
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def drawn(random, layer, behind, dtype=np.float32):
    """A Conv and what is behind it; the Conv's output is a second output, which separates them."""
    channels, maps, group, kernel, stride, pad, size = layer
    x = random.standard_normal((random.integers(1, 3), channels, size, size)).astype(dtype)
    for special in (np.nan, np.inf, -np.inf, -0.0):
        if random.integers(2):
            x.reshape(-1)[random.integers(x.size)] = special
    constants = {"w": random.standard_normal((maps, channels // group, kernel, kernel))}
    if random.integers(2):  # a map of zeros of either sign
        constants["w"][0] *= -0.0
    names = ["x", "w"]
    if random.integers(3):
        constants["b"] = random.standard_normal(maps) * (1 - 2 * random.integers(2, size=maps))
        constants["b"][random.integers(maps)] = random.choice([0.0, -0.0])
        names.append("b")
    opset, attributes, others = 13, {}, []
    if behind == "Clip":
        bounds = np.sort(random.standard_normal(2))[:: random.choice([1, -1])]
        bounds = [random.choice([0.0, -0.0, one, one]) for one in bounds]
        opset = random.choice([6, 11, 13])
        if opset == 6:
            attributes = {"min": float(bounds[0]), "max": float(bounds[1])}
        else:
            others = ["low", "high"]
            constants |= {"low": np.array(bounds[0]), "high": np.array(bounds[1])}
            absent = random.integers(4)
            if absent < 2:
                del constants[others[absent]]
                others[absent] = ""
    constants = {name: np.asarray(one).astype(dtype) for name, one in constants.items()}
    nodes = [
        helper.make_node(
            "Conv", names, ["y"], group=group, strides=[stride] * 2, pads=[pad] * 4, name="conv"
        ),
        helper.make_node(behind, ["y", *others], ["z"], name="last", **attributes),
    ]
    type_ = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    outputs = [value("z", None, type_), value("y", None, type_)]
    return model_of(nodes, [value("x", None, type_)], outputs, constants, int(opset)), x


def same_bits(a, b):
    """The same bits, but for those of a NaN, whose sign depends on the order of operands."""
    unsigned = np.dtype(f"u{a.itemsize}")
    return a.shape == b.shape and bool(
        np.all((a.view(unsigned) == b.view(unsigned)) | (np.isnan(a) & np.isnan(b)))
    )


def kernels(model, *arguments, **keywords):
    with model.trace() as trace:
        found = model.run(*arguments, **keywords)
    return found, {node.node: node for node in trace.nodes}


@pytest.mark.parametrize("behind", ["Relu", "Clip"])
@pytest.mark.parametrize("layer", LAYERS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_bits_are_those_of_two_nodes(layer, behind, seed):
    random = np.random.default_rng([seed, *layer])
    proto, x = drawn(random, layer, behind)
    model = opmill.Model(proto)
    for name in opmill.instruction_sets():
        with opmill.use_instruction_set(name):
            (joined,), nodes = kernels(model, [x], ["z"])
            assert nodes["node 1 'last'"].kernel == "joined"
            (separate, _), nodes = kernels(model, [x])
            assert nodes["node 1 'last'"].kernel != "joined"
            assert same_bits(joined, separate)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_types_are_separate(dtype):
    proto, x = drawn(np.random.default_rng(0), LAYERS[0], "Relu", dtype)
    model = opmill.Model(proto)
    (found,), nodes = kernels(model, [x], ["z"])
    assert nodes["node 1 'last'"].kernel != "joined"
    assert same_bits(found, model.run([x])[0])


def test_each_thread_count_has_the_same_bits():
    proto, x = drawn(np.random.default_rng(3), LAYERS[4], "Relu")
    model = opmill.Model(proto)
    before = opmill.get_threads()
    found = []
    try:
        for count in (1, 2, 3):
            opmill.set_threads(count)
            found.append(model.run([x], ["z"])[0])
    finally:
        opmill.set_threads(before)
    assert same_bits(found[0], found[1])
    assert same_bits(found[0], found[2])


def chain(*behind, constants=(), outputs=("z",)):
    """A Conv of constant weights, and nodes behind it."""
    random = np.random.default_rng(1)
    w = random.standard_normal((20, 3, 3, 3)).astype(np.float32)
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], name="conv"), *behind]
    given = [value("x", None)]
    return model_of(nodes, given, [value(n, None) for n in outputs], {"w": w, **dict(constants)})


X = np.random.default_rng(2).standard_normal((1, 3, 9, 9)).astype(np.float32)


def test_the_trace_names_both_nodes():
    relu = helper.make_node("Relu", ["y"], ["z"], name="relu")
    (z,), nodes = kernels(opmill.Model(chain(relu)), [X])
    conv, last = nodes["node 0 'conv'"], nodes["node 1 'relu'"]
    assert (conv.operator, last.operator) == ("Conv-11", "Relu-13")
    assert conv.kernel.startswith("c ")
    assert conv.seconds > 0
    assert (last.kernel, last.seconds) == ("joined", 0.0)
    assert (last.inputs, last.outputs) == ((z.shape,), (z.shape,))


def test_on_numpy_each_node_is_measured():
    model = opmill.Model(chain(helper.make_node("Relu", ["y"], ["z"], name="relu")))
    with opmill.use_backend("numpy"):
        _, nodes = kernels(model, [X])
    assert nodes["node 0 'conv'"].kernel == nodes["node 1 'relu'"].kernel == "numpy"
    assert nodes["node 1 'relu'"].seconds > 0


def test_an_output_that_two_nodes_read_is_computed():
    relu = helper.make_node("Relu", ["y"], ["r"], name="relu")
    total = helper.make_node("Add", ["y", "r"], ["z"], name="add")
    (z,), nodes = kernels(opmill.Model(chain(relu, total)), [X])
    assert nodes["node 1 'relu'"].kernel != "joined"
    y, r, both = opmill.Model(chain(relu, total, outputs=("y", "r", "z"))).run([X])
    assert same_bits(r, np.where(y < 0, np.float32(0), y))
    assert same_bits(z, y + r)
    assert same_bits(z, both)


@pytest.mark.parametrize(
    "bound", [np.array(np.nan, np.float32), np.array([[1.0]], np.float32), np.array(1.0)]
)
def test_other_bounds_are_left_to_clip(bound):
    clip = helper.make_node("Clip", ["y", "low"], ["z"], name="clip")
    model = opmill.Model(chain(clip, constants={"low": bound}))
    if bound.shape or bound.dtype != np.float32:
        with pytest.raises(opmill.OpError, match=r"^node 1 'clip' of ai.onnx: Clip-13: "):
            model.run([X])
        return
    (z,), nodes = kernels(model, [X])
    assert nodes["node 1 'clip'"].kernel != "joined"
    assert np.isnan(z).all()


def test_a_refusal_names_its_node():
    model = opmill.Model(chain(helper.make_node("Relu", ["y"], ["z"], name="relu")))
    with pytest.raises(opmill.OpError, match=r"^node 0 'conv' of ai.onnx: Conv-11: "):
        model.run([X[:, :2]])


def test_an_array_that_the_kernel_does_not_take():
    model = opmill.Model(chain(helper.make_node("Relu", ["y"], ["z"], name="relu")))
    assert same_bits(model.run([X.astype(">f4")])[0], model.run([X])[0])
    assert same_bits(model.run([X[:, :, ::-1, ::-1]])[0], model.run([X[..., ::-1, ::-1].copy()])[0])
