"""``opmill.Model(..., fuse_qdq=True)``: which nodes it computes in integers, and what comes out."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

import opmill

FLOAT = np.float32


class Net:
    """A small model in QDQ form; attributes of a subclass or of an instance change one thing."""

    opset = 13
    kind = "Conv"
    x_type, w_type, y_type = np.uint8, np.int8, np.uint8
    x_zero, w_zero, y_zero = 100, 0, 120
    x_scale: object = 0.02
    y_scale: object = 0.3
    per_channel = True
    w_axis: int | None = None
    bias: str | None = "int32"
    bias_factor = 1.0
    clamp: tuple[str, dict[str, object], list[object]] | None = None
    group = 1
    outputs: tuple[str, ...] = ("y",)
    w_input = False
    gemm: Mapping[str, object] = {}
    shape = (1, 4, 7, 6)
    maps = 5

    def __init__(self, seed: int = 0, **changes: object) -> None:
        for name, value in changes.items():
            assert hasattr(self, name)
            setattr(self, name, value)
        self.random = np.random.default_rng(seed)
        self.constants: dict[str, np.ndarray] = {}
        self.nodes = []
        self._write()

    def _node(self, kind, inputs, output, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))

    def _constant(self, name, value, dtype):
        self.constants[name] = np.asarray(value, dtype)
        return name

    def _write(self):
        conv = self.kind == "Conv"
        gemm = self.kind == "Gemm"
        shape = (self.maps, self.shape[1] // self.group, 3, 3) if conv else (self.shape[-1], 5)
        shape = (5, self.shape[-1]) if gemm and self.gemm.get("transB") else shape
        limits = np.iinfo(self.w_type)
        weights = self.random.integers(limits.min, limits.max, shape, endpoint=True)
        channel_axis = 0 if conv or self.gemm.get("transB") else 1
        count = shape[channel_axis]
        scales = self.random.uniform(0.005, 0.02, count) if self.per_channel else 0.01
        zeros = np.full(count, self.w_zero) if self.per_channel else self.w_zero
        self._constant("w", weights, self.w_type)
        self._constant("w_scale", scales, FLOAT)
        self._constant("w_zero", zeros, self.w_type)
        self._constant("x_scale", self.x_scale, FLOAT)
        self._constant("x_zero", self.x_zero, self.x_type)
        self._constant("y_scale", self.y_scale, FLOAT)
        self._constant("y_zero", self.y_zero, self.y_type)
        axis = channel_axis if self.w_axis is None else self.w_axis
        self._node("DequantizeLinear", ["x", "x_scale", "x_zero"], "xf")
        self._node("DequantizeLinear", ["w", "w_scale", "w_zero"], "wf", axis=axis)
        inputs = ["xf", "wf"]
        if (conv or gemm) and self.bias == "int32":
            self._constant("b", self.random.integers(-3000, 3000, count), np.int32)
            products = np.asarray(self.constants["x_scale"] * self.constants["w_scale"], FLOAT)
            self._constant("b_scale", products * self.bias_factor, FLOAT)
            self._node("DequantizeLinear", ["b", "b_scale"], "bf", axis=0)
            inputs.append("bf")
        elif (conv or gemm) and self.bias == "float":
            inputs.append(self._constant("bf", self.random.standard_normal(count), FLOAT))
        attributes = {"pads": [1, 1, 1, 1], "group": self.group} if conv else self.gemm
        self._node(self.kind, inputs, "sum", **attributes)
        last = "sum"
        if self.clamp is not None:
            kind, given, bounds = self.clamp
            names = [
                self._constant(f"bound{k}", bound, FLOAT) if bound is not None else ""
                for k, bound in enumerate(bounds)
            ]
            self._node(kind, ["sum", *names], "clamped", **given)
            last = "clamped"
        self._node("QuantizeLinear", [last, "y_scale", "y_zero"], "y")

    def model(self):
        element = helper.np_dtype_to_tensor_dtype
        types = {"y": element(np.dtype(self.y_type))}
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", element(np.dtype(self.x_type)), self.shape)],
            [
                helper.make_tensor_value_info(name, types.get(name, TensorProto.FLOAT), None)
                for name in self.outputs
            ],
            [numpy_helper.from_array(value, name) for name, value in self.constants.items()],
        )
        if self.w_input:
            info = helper.make_tensor_value_info(
                "w", element(np.dtype(self.w_type)), self.constants["w"].shape
            )
            graph.input.append(info)
        opsets = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)

    def x(self):
        limits = np.iinfo(self.x_type)
        return self.random.integers(limits.min, limits.max, self.shape, endpoint=True).astype(
            self.x_type
        )


def operators_of(model, x):
    with model.trace() as trace:
        outputs = model.run({"x": x})
    return [node.operator.rpartition("-")[0] for node in trace.nodes], outputs


def by_hand(net, x):
    """The sum in exact integers, one rounding to float32 for the factor and one for the product."""
    given = net.constants
    differences = x.astype(np.int64) - given["x_zero"].astype(np.int64)
    w = given["w"].astype(np.int64) - int(net.w_zero)
    scales = given["w_scale"]
    if net.kind != "Conv":
        sums = differences @ (w.T if net.gemm.get("transB") else w) + given.get("b", 0)
    else:
        padded = np.pad(differences, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
        maps, channels = w.shape[0] // net.group, w.shape[1]
        sums = np.concatenate(
            [
                np.einsum(
                    "ncijkl,mckl->nmij",
                    windows[:, g * channels : (g + 1) * channels],
                    w[g * maps : (g + 1) * maps],
                )
                for g in range(net.group)
            ],
            1,
        )
        if "b" in given:
            sums = sums + given["b"].reshape(-1, 1, 1)
        scales = scales.reshape(-1, 1, 1) if scales.ndim else scales
    factors = (given["x_scale"] * scales).astype(FLOAT) / given["y_scale"]
    rounded = np.rint(sums.astype(FLOAT) * factors.astype(FLOAT)).astype(np.int64) + net.y_zero
    limits = np.iinfo(net.y_type)
    low, high = limits.min, limits.max
    if net.clamp is not None:
        bounds = [0, None] if net.clamp[0] == "Relu" else [*net.clamp[2], None, None][:2]
        bounds = [net.clamp[1].get(n, b) for n, b in zip(("min", "max"), bounds, strict=True)]
        steps = [
            None if b is None else int(np.rint(FLOAT(b) / given["y_scale"])) + net.y_zero
            for b in bounds
        ]
        low = low if steps[0] is None else max(low, steps[0])
        high = high if steps[1] is None else min(high, steps[1])
    return np.clip(rounded, low, high).astype(net.y_type)


def by_onnxruntime(model, x):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    # Without it, products of 8 bits saturate on processors without VNNI.
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(["y"], {"x": x})[0]


SIGNED = {"x_type": np.int8, "y_type": np.int8, "x_zero": -3, "y_zero": 5}
MATMUL = {"kind": "MatMul", "shape": (3, 7)}
GEMM = {"kind": "Gemm", "shape": (3, 7), "gemm": {"transB": 1}}
IN_A_CONV = ["Reshape", "QLinearConv", "Reshape"]

FUSED = {
    "conv": ({}, ["QLinearConv"]),
    "one scale": ({"per_channel": False}, ["QLinearConv"]),
    "no bias": ({"bias": None}, ["QLinearConv"]),
    "groups": ({"group": 2, "maps": 6}, ["QLinearConv"]),
    "depthwise": ({"group": 4, "maps": 4}, ["QLinearConv"]),
    "signed": (SIGNED, ["QLinearConv"]),
    "zero points of weights": ({"w_type": np.uint8, "w_zero": 128}, ["QLinearConv"]),
    "shape of one": ({"x_scale": [0.02], "x_zero": [100]}, ["QLinearConv"]),
    "opset 21": ({"opset": 21}, ["QLinearConv"]),
    "relu subsumed": ({"clamp": ("Relu", {}, []), "y_zero": 0}, ["QLinearConv"]),
    "relu of int8 subsumed": (
        {**SIGNED, "clamp": ("Relu", {}, []), "y_zero": -128},
        ["QLinearConv"],
    ),
    "relu": ({"clamp": ("Relu", {}, [])}, ["QLinearConv", "Clip"]),
    "clip subsumed": (
        {"clamp": ("Clip", {}, [0, 6]), "y_zero": 0, "y_scale": 6 / 255},
        ["QLinearConv"],
    ),
    "clip": (
        {"clamp": ("Clip", {}, [0, 6]), "y_zero": 0, "y_scale": 0.05},
        ["QLinearConv", "Clip"],
    ),
    "clip above": ({"clamp": ("Clip", {}, [None, 6])}, ["QLinearConv", "Clip"]),
    "matmul": (MATMUL, ["QLinearMatMul"]),
    "matmul, one scale": ({**MATMUL, "per_channel": False}, ["QLinearMatMul"]),
    "matmul of stacks": ({**MATMUL, "shape": (2, 3, 7)}, ["QLinearMatMul"]),
    "matmul, relu": ({**MATMUL, "clamp": ("Relu", {}, [])}, ["QLinearMatMul", "Clip"]),
    "matmul, opset 21": ({**MATMUL, "opset": 21}, ["QLinearMatMul"]),
    "gemm": (GEMM, IN_A_CONV),
    "gemm, one row": ({**GEMM, "shape": (1, 40)}, IN_A_CONV),
    "gemm, columns of weights": ({**GEMM, "gemm": {}}, IN_A_CONV),
    "gemm, one scale": ({**GEMM, "per_channel": False, "gemm": {"alpha": 1.0}}, IN_A_CONV),
    "gemm, no bias": ({**GEMM, "bias": None}, IN_A_CONV),
    "gemm, zero points": ({**GEMM, "w_type": np.uint8, "w_zero": 128}, IN_A_CONV),
    "gemm, relu": (
        {**GEMM, "clamp": ("Relu", {}, [])},
        ["Reshape", "QLinearConv", "Clip", "Reshape"],
    ),
}


@pytest.mark.parametrize("name", FUSED)
def test_a_pattern_is_computed_in_integers(name):
    changes, expected = FUSED[name]
    for seed in range(4):
        net = Net(seed, **changes)
        message, x = net.model(), net.x()
        model = opmill.Model(message, fuse_qdq=True)
        assert model.unfused == ()
        found, (y,) = operators_of(model, x)
        assert found == expected
        np.testing.assert_array_equal(y, by_hand(net, x))
        (exact,) = opmill.Model(message).run([x])
        assert (y.dtype, y.shape) == (exact.dtype, exact.shape)
        assert np.abs(y.astype(int) - exact).max() <= 1
        assert np.abs(y.astype(int) - by_onnxruntime(message, x)).max() <= 1
        assert len(np.unique(y)) > 3


UNFUSED = {
    "float bias": ({"bias": "float"}, "B is not the output of a DequantizeLinear"),
    "scale of the bias": (
        {"bias_factor": 1.001},
        "B has a scale that is not the product of the scales of X and W",
    ),
    "an output of the graph": (
        {"outputs": ("y", "sum")},
        "a value before QuantizeLinear is an output of the graph",
    ),
    "a clamped output of the graph": (
        {"outputs": ("y", "clamped"), "clamp": ("Relu", {}, [])},
        "a value before QuantizeLinear is an output of the graph",
    ),
    "weights that a run may be given": ({"w_input": True}, "W is not constant"),
    "a scale of 0": ({"y_scale": 0.0}, "the output has a scale that is not a positive normal"),
    "a negative scale": ({"x_scale": -0.1}, "X has a scale that is not a positive normal number"),
    "a factor that overflows": (
        {"x_scale": 1e30, "y_scale": 1e-30, "bias": None},
        "a product of the scales is not a normal number",
    ),
    "scales along the wrong axis": (
        {"w_axis": 1, "maps": 4, "bias": None},
        "W has scales along axis 1, expected 0",
    ),
    "scales of x": (
        {"x_scale": [0.1, 0.2, 0.3, 0.4], "x_zero": [1, 2, 3, 4], "bias": None},
        "X has 4 scales, expected 1",
    ),
    "scales of y": (
        {"y_scale": [0.1, 0.2, 0.3, 0.4, 0.5], "y_zero": [1, 2, 3, 4, 5]},
        "the output has 5 scales, expected 1",
    ),
    "16 bits": (
        {"opset": 21, "y_type": np.uint16},
        "the output has type uint16, expected int8 or uint8",
    ),
    "16 bits of x": (
        {"opset": 21, "x_type": np.uint16, "bias": None},
        "X has type uint16, expected int8 or uint8",
    ),
    "another reader": ({"clamp": ("Abs", {}, [])}, "its output is read by Abs-13, expected"),
    "no Clip of integers": (
        {"opset": 10, "per_channel": False, "clamp": ("Relu", {}, [])},
        "Clip-6 does not allow uint8",
    ),
    "a bound that is NaN": (
        {"clamp": ("Clip", {}, [0, np.nan])},
        "Clip-13 has a bound that is NaN",
    ),
    "gemm, factor of the product": ({**GEMM, "gemm": {"alpha": 0.5}}, "alpha is 0.5, expected 1.0"),
    "gemm, factor of the bias": ({**GEMM, "gemm": {"beta": 2.0}}, "beta is 2.0, expected 1.0"),
    "gemm, columns of a": (
        {**GEMM, "shape": (7, 7), "gemm": {"transA": 1}},
        "transA is 1, expected 0",
    ),
    "gemm, scale of the bias": (
        {**GEMM, "bias_factor": 1.001},
        "C has a scale that is not the product of the scales of A and B",
    ),
    "gemm, rows of the right factor": (
        {**GEMM, "shape": (5, 5), "w_axis": 1},
        "B has scales along axis 1, expected 0",
    ),
    "rows of the right factor": (
        {**MATMUL, "shape": (2, 5), "w_axis": 0},
        "B has scales along axis 0, expected 1",
    ),
}


@pytest.mark.parametrize("name", UNFUSED)
def test_another_pattern_stays_as_it_is(name):
    changes, reason = UNFUSED[name]
    net = Net(**changes)
    message = net.model()
    if net.opset == 10:  # where there is no axis
        for node in message.graph.node:
            if node.op_type == "DequantizeLinear":
                del node.attribute[:]
    model = opmill.Model(message, fuse_qdq=True)
    (unfused,) = model.unfused
    assert unfused.operator.rpartition("-")[0] == net.kind
    assert unfused.reason.startswith(reason)
    assert str(unfused).startswith(f"{unfused.node}: {unfused.operator} is not fused: ")
    x = net.x()
    exact, same = opmill.Model(message).run({"x": x}), model.run({"x": x})
    for one, other in zip(exact, same, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_value_that_is_read_twice_stays():
    net = Net()
    net._node("QuantizeLinear", ["sum", "y_scale", "y_zero"], "again")
    net.outputs = ("y", "again")
    message = net.model()
    message.graph.output[1].type.tensor_type.elem_type = TensorProto.UINT8
    (unfused,) = opmill.Model(message, fuse_qdq=True).unfused
    assert unfused.reason == "its output is read 2 times, expected once"


def test_sums_beyond_int32_stay():
    net = Net()
    net.constants["b"][2] = 2**31 - 1
    (unfused,) = opmill.Model(net.model(), fuse_qdq=True).unfused
    assert unfused.reason == "its sums may be out of the range of int32"


def test_a_dequantized_value_that_others_read_is_there_for_them():
    net = Net(outputs=("y", "xf"))
    x = net.x()
    model = opmill.Model(net.model(), fuse_qdq=True)
    found, (y, dequantized) = operators_of(model, x)
    assert sorted(found) == ["DequantizeLinear", "QLinearConv"]
    np.testing.assert_array_equal(y, by_hand(net, x))
    np.testing.assert_array_equal(dequantized, (x.astype(FLOAT) - 100) * FLOAT(0.02))
    (alone,) = model.run([x], outputs=["y"])
    assert alone.tobytes() == y.tobytes()


def test_the_default_is_exact_and_weights_may_be_quantized_in_the_model():
    net = Net(per_channel=False)
    net.constants["float"] = net.constants.pop("w").astype(FLOAT) * FLOAT(0.01)
    quantize = helper.make_node("QuantizeLinear", ["float", "w_scale", "w_zero"], ["w"])
    net.nodes.insert(0, quantize)
    message, x = net.model(), net.x()
    found, _ = operators_of(opmill.Model(message), x)
    assert "Conv" in found
    model = opmill.Model(message, fuse_qdq=True)
    found, (y,) = operators_of(model, x)
    assert found == ["QLinearConv"]
    net.constants["w"] = np.rint(net.constants["float"] / FLOAT(0.01))
    np.testing.assert_array_equal(y, by_hand(net, x))


def test_a_model_without_the_form_is_left_as_it_is():
    node = helper.make_node("Neg", ["x"], ["y"])
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    model = opmill.Model(
        helper.make_model(helper.make_graph([node], "g", value[:1], value[1:]), ir_version=8),
        fuse_qdq=True,
    )
    assert model.unfused == ()
    assert model.run([np.ones(2, FLOAT)])[0].tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, None),
        ({"output_dtype": TensorProto.INT8}, None),
        ({"output_dtype": TensorProto.INT16}, "the output is not of type int8 or uint8"),
        ({"block_size": 1}, "the output is quantized in blocks or in another precision"),
    ],
)
def test_the_type_without_a_zero_point_is_that_of_output_dtype(given, reason):
    net = Net(opset=21, bias=None)
    net.nodes.pop()
    net._node("QuantizeLinear", ["sum", "y_scale"], "y", **given)
    net.y_type = helper.tensor_dtype_to_np_dtype(given.get("output_dtype", TensorProto.UINT8))
    net.y_zero = 0
    model = opmill.Model(net.model(), fuse_qdq=True)
    assert [one.reason for one in model.unfused] == ([reason] if reason else [])
    if not reason:
        x = net.x()
        np.testing.assert_array_equal(model.run([x])[0], by_hand(net, x))


@pytest.mark.parametrize(
    ("given", "fused"),
    [({}, True), ({"output_dtype": TensorProto.INT16}, False), ({"other": "float_zero"}, False)],
)
def test_the_type_of_an_input_without_a_zero_point_is_that_of_its_maker(given, fused):
    net = Net(opset=21, bias=None)
    net.x_zero, net.constants["x_zero"] = 0, np.uint8(0)
    dequantize = net.nodes[0]
    del dequantize.input[2]
    dequantize.input[0] = "quantized"
    kind = {k: v for k, v in given.items() if k != "other"}
    inputs = ["x", "x_scale"]
    if "other" in given:  # a zero point that a run computes
        net.nodes.insert(0, helper.make_node("Min", ["x_zero"], ["zero"], name="zero"))
        net.nodes.insert(1, helper.make_node("Identity", ["zero"], ["zero_again"]))
        inputs.append("zero_again")
    position = 2 if "other" in given else 0
    net.nodes.insert(position, helper.make_node("QuantizeLinear", inputs, ["quantized"], **kind))
    message = net.model()
    message.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT
    model = opmill.Model(message, fuse_qdq=True)
    assert fused != bool(model.unfused)
    if model.unfused:
        assert model.unfused[0].reason == "X has no zero point that gives its type"
