"""``opmill.Model(..., optimize=True)``: what is replaced, what is not, and what comes out."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import onnxruntime as ort
import pytest
from onnx import ModelProto, helper, numpy_helper, parser

import opmill
from compiled_networks import NETWORKS, proto

RANDOM = np.random.default_rng(0)
HEAD = '<ir_version: 8, opset_import: ["": {opset}]> g ({inputs}) => ({output}) {{ {nodes} }}'


def model_of(
    nodes: str,
    constants: Mapping[str, object] | None = None,
    opset: int = 13,
    inputs: str = "float[2, 4, 6] x",
    output: str = "float y",
) -> ModelProto:
    """A model of some nodes, in ONNX's text syntax."""
    text = HEAD.format(opset=opset, inputs=inputs, output=output, nodes=nodes)
    model = parser.parse_model(text)
    for name, value in (constants or {}).items():
        array = np.asarray(value, np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    del model.graph.output[0].type.tensor_type.shape.dim[:]
    model.graph.output[0].type.tensor_type.ClearField("shape")
    return model


def shape_of(inputs: str) -> tuple[int, ...]:
    """The shape of the only input, with 3 for a dim that has a name."""
    (dims,) = re.findall(r"\[(.*?)\]", inputs)
    return tuple(int(dim) if dim.strip().isdigit() else 3 for dim in dims.split(","))


def results(model: ModelProto, inputs: str) -> tuple[opmill.Model, np.ndarray, np.ndarray]:
    """The optimised model, and what it and the model as it is compute of random numbers."""
    x = RANDOM.normal(scale=2, size=shape_of(inputs)).astype(np.float32)
    optimised = opmill.Model(model, optimize=True)
    return optimised, optimised.run([x])[0], opmill.Model(model).run([x])[0]


def operators(model: opmill.Model) -> list[str]:
    return [one.result for one in model.rewritten]


ERF = "d = Div (x, r) e = Erf (d) a = Add (e, one)"
ROOT, ONE, HALF = {"r": 2**0.5}, {"one": 1.0}, {"half": 0.5}
TANH = (
    "k = Pow (x, three) j = Mul (k, c) i = Add (x, j) h = Mul (i, q) t = Tanh (h) a = Add (one, t)"
)
CUBIC = {"three": 3.0, "c": 0.044715, "q": (2 / np.pi) ** 0.5}

ACTIVATIONS = {
    "gelu": (f"{ERF} m = Mul (x, a) y = Mul (m, half)", ROOT | ONE | HALF, "Gelu-20"),
    "gelu, half behind": (f"{ERF} m = Mul (a, half) y = Mul (x, m)", ROOT | ONE | HALF, "Gelu-20"),
    "gelu, half first": (f"m = Mul (half, x) {ERF} y = Mul (m, a)", ROOT | ONE | HALF, "Gelu-20"),
    "gelu by a product": (
        f"{ERF.replace('Div', 'Mul')} m = Mul (x, a) y = Mul (m, half)",
        {"r": 0.5**0.5} | ONE | HALF,
        "Gelu-20",
    ),
    "gelu of tanh": (f"{TANH} m = Mul (x, a) y = Mul (m, half)", CUBIC | ONE | HALF, "Gelu-20"),
    "swish": ("s = Sigmoid (x) y = Mul (s, x)", {}, "Swish-24"),
    "hard swish": ("s = HardSigmoid <alpha = 0.16666667> (x) y = Mul (x, s)", {}, "HardSwish-22"),
    "mish": ("s = Softplus (x) t = Tanh (s) y = Mul (x, t)", {}, "Mish-22"),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name: str):
    nodes, constants, label = ACTIVATIONS[name]
    inputs = "float[2, 4, 6] x"
    model, found, expected = results(model_of(nodes, constants, inputs=inputs), inputs)
    assert operators(model) == [label]
    assert [node.operator for node in traced(model, inputs)] == [label]
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6)


def traced(model: opmill.Model, inputs: str) -> list:
    with model.trace() as trace:
        model.run([np.ones(shape_of(inputs), np.float32)])
    return list(trace.nodes)


MEAN = "m = ReduceMean <axes = [-1]> (x) d = Sub (x, m)"
ROOT_OF = "q = {} v = ReduceMean <axes = [-1]> (q) w = Add (v, eps) s = Sqrt (w)"
SCALES = {"eps": 1e-3, "scale": RANDOM.normal(size=6), "bias": RANDOM.normal(size=6)}
ENDS = "o = Mul (n, scale) y = Add (bias, o)"
NORMALIZATIONS = {
    "layer, Pow": (
        f"{MEAN} {ROOT_OF.format('Pow (d, two)')} n = Div (d, s) {ENDS}",
        SCALES | {"two": 2.0},
        "LayerNormalization-17",
    ),
    "layer, Mul": (
        f"{MEAN} {ROOT_OF.format('Mul (d, d)')} n = Div (d, s) {ENDS}",
        SCALES,
        "LayerNormalization-17",
    ),
    "root mean square, Reciprocal": (
        f"{ROOT_OF.format('Pow (x, two)')} z = Reciprocal (s) n = Mul (x, z) y = Mul (scale, n)",
        {k: v for k, v in SCALES.items() if k != "bias"} | {"two": 2.0},
        "RMSNormalization-23",
    ),
    "root mean square, Div": (
        f"{ROOT_OF.format('Mul (x, x)')} n = Div (x, s) y = Mul (n, scale)",
        {k: v for k, v in SCALES.items() if k != "bias"},
        "RMSNormalization-23",
    ),
}


@pytest.mark.parametrize("inputs", ["float[2, 4, 6] x", "float[batch, 6] x"])
@pytest.mark.parametrize("name", NORMALIZATIONS)
def test_normalizations(name: str, inputs: str):
    nodes, constants, label = NORMALIZATIONS[name]
    model, found, expected = results(model_of(nodes, constants, inputs=inputs), inputs)
    assert operators(model) == [label]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_of_a_layer_whose_bias_broadcasts_a_part_is_replaced():
    nodes, constants, _ = NORMALIZATIONS["layer, Mul"]
    inputs = "float[2, 4, 6] x"
    model, found, expected = results(model_of(nodes, constants | {"bias": [1]}), inputs)
    assert operators(model) == ["RMSNormalization-23"]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


LAYERS = {
    "Conv": ("float[2, 4, 8, 8] x", "Conv <pads = [1, 1, 1, 1]>", (5, 4, 3, 3)),
    "Conv with groups": ("float[2, 4, 8, 8] x", "Conv <group = 2>", (6, 2, 3, 3)),
    "ConvTranspose": ("float[2, 4, 8, 8] x", "ConvTranspose <strides = [2, 2]>", (4, 5, 3, 3)),
    "Gemm": ("float[3, 4] x", "Gemm <transB = 1, beta = 0.5>", (5, 4)),
}


def layer_of(name: str) -> tuple[str, str, int, np.ndarray]:
    """The input, the operator, the number of channels and weights of a layer."""
    inputs, operator, shape = LAYERS[name]
    channels = shape[1] if name == "ConvTranspose" else shape[0]
    return inputs, operator, channels, RANDOM.normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_numbers_of_channels_go_into_the_weights(name: str, bias: bool):
    inputs, operator, channels, weight = layer_of(name)
    numbers = [RANDOM.uniform(0.5, 2, channels).astype(np.float32) for _ in range(6)]
    axes = (channels,) if name == "Gemm" else (channels, 1, 1)
    constants = dict(zip(("s", "o", "m", "v"), numbers, strict=False))
    constants |= {"f": numbers[4].reshape(axes), "w": weight, "g": np.float32(0.25)}
    constants |= {"b": numbers[5]} if bias else {}
    nodes = (
        f"c = {operator} (x, w{', b' if bias else ''}) n = BatchNormalization (c, s, o, m, v) "
        "p = Mul (f, n) y = Add (p, g)"
    )
    model, found, expected = results(model_of(nodes, constants, inputs=inputs), inputs)
    assert [node.operator.partition("-")[0] for node in traced(model, inputs)] == [name.split()[0]]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_onnxruntime_agrees():
    """A network with all kinds of rewrites, beside an independent runtime."""
    nodes = (
        "c = Conv <pads = [1, 1, 1, 1]> (x, w) n = BatchNormalization (c, s, b, m, v) "
        "g = Sigmoid (n) h = Mul (n, g) t = Transpose <perm = [0, 2, 3, 1]> (h) "
        "u = Transpose <perm = [0, 3, 1, 2]> (t) d = Div (u, r) e = Erf (d) a = Add (e, one) "
        "k = Mul (u, a) y = Mul (k, half)"
    )
    numbers = {name: RANDOM.uniform(0.5, 1, 4).astype(np.float32) for name in "sbmv"}
    weight = RANDOM.normal(size=(4, 3, 3, 3)).astype(np.float32)
    constants = numbers | {"w": weight} | ROOT | ONE | HALF
    message = model_of(nodes, constants, inputs="float[1, 3, 9, 9] x")
    model = opmill.Model(message, optimize=True)
    assert sorted(operators(model)) == ["Conv-11", "Gelu-20", "Identity-25", "Swish-24"]
    x = RANDOM.normal(size=(1, 3, 9, 9)).astype(np.float32)
    (expected,) = ort.InferenceSession(message.SerializeToString()).run(None, {"x": x})
    np.testing.assert_allclose(model.run([x])[0], expected, rtol=1e-5, atol=1e-5)


LEFT = {
    "another reader": ("s = Sigmoid (x) p = Mul (s, x) y = Add (s, p)", {}),
    "another constant": (f"{ERF} m = Mul (x, a) y = Mul (m, half)", {"r": 1.5} | ONE | HALF),
    "a constant of a larger rank": (
        f"{ERF} m = Mul (x, a) y = Mul (m, half)",
        ROOT | ONE | {"half": np.full((1, 1, 1, 1), 0.5)},
    ),
    "a list in place of a number": (
        f"{ERF} m = Mul (x, a) y = Mul (m, half)",
        ROOT | ONE | {"half": np.full(6, 0.5)},
    ),
    "another slope": ("s = HardSigmoid <alpha = 0.2> (x) y = Mul (x, s)", {}),
    "means over two axes": (
        NORMALIZATIONS["layer, Mul"][0].replace("[-1]", "[1, -1]"),
        SCALES,
    ),
    "a scale of more axes": (
        NORMALIZATIONS["layer, Mul"][0],
        SCALES | {"scale": np.ones((4, 6))},
    ),
    "a scale that broadcasts": (
        NORMALIZATIONS["layer, Mul"][0],
        SCALES | {"scale": np.ones(1)},
    ),
}


@pytest.mark.parametrize("name", LEFT)
def test_what_differs_is_left(name: str):
    nodes, constants = LEFT[name]
    inputs = "float[2, 4, 6] x"
    model, found, expected = results(model_of(nodes, constants, inputs=inputs), inputs)
    assert model.rewritten == ()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("operand", "name"),
    [
        (np.ones((1, 5, 8, 1)), "other axes"),
        (np.ones(8), "the last axis"),
        (np.ones((1, 1, 5, 1, 1)), "a larger rank"),
        (np.full((5, 1, 1), 1e38), "a weight that is not finite"),
    ],
)
def test_operands_that_stay(operand: np.ndarray, name: str):
    inputs, operator, _, weight = layer_of("Conv")
    constants = {"w": weight * np.float32(10), "f": operand}
    message = model_of(f"c = {operator} (x, w) y = Mul (c, f)", constants, inputs=inputs)
    model, found, expected = results(message, inputs)
    assert model.rewritten == (), name
    np.testing.assert_array_equal(found, expected)


def test_an_output_is_computed_as_it_is():
    """Check that a graph's result is not merged into its reader."""
    message = model_of("s = Sigmoid (x) y = Mul (s, x)")
    message.graph.output.append(helper.make_tensor_value_info("s", 1, None))
    assert opmill.Model(message, optimize=True).rewritten == ()


def test_a_default_that_a_run_can_replace_is_no_constant():
    message = model_of("c = Conv (x, w) y = Mul (c, f)", inputs="float[1, 1, 3, 3] x, float[1] f")
    for name, shape in (("w", (1, 1, 1, 1)), ("f", (1,))):
        array = np.full(shape, 2, np.float32)
        message.graph.initializer.append(numpy_helper.from_array(array, name))
    model = opmill.Model(message, optimize=True)
    assert model.rewritten == ()
    x = np.ones((1, 1, 3, 3), np.float32)
    assert model.run({"x": x, "f": np.float32([3])})[0].max() == 6


def test_batch_normalization_that_trains_stays():
    inputs, operator, channels, weight = layer_of("Conv")
    constants = {"w": weight} | {name: np.ones(channels) for name in "sbmv"}
    nodes = (
        f"c = {operator} (x, w) y, p, q = BatchNormalization <training_mode = 1> (c, s, b, m, v)"
    )
    message = model_of(nodes, constants, opset=15, inputs=inputs)
    assert opmill.Model(message, optimize=True).rewritten == ()


def test_what_was_replaced_is_described():
    model = opmill.Model(model_of("s = Sigmoid (x) y = Mul (s, x)"), optimize=True)
    (one,) = model.rewritten
    assert str(one) == "Swish-24: node 0 (Sigmoid-13), node 1 (Mul-13)"


def test_element_types_decide_where_shapes_are_not_known():
    """An Unsqueeze of axes that a run gives has an unknown rank, and the type of its input."""
    nodes = "u = Unsqueeze (x, n) s = Sigmoid (u) y = Mul (s, u)"
    for element, expected in (("float16", ["Swish-24"]), ("float", ["Swish-24"])):
        inputs, output = f"{element}[2] x, int64[k] n", f"{element} y"
        message = model_of(nodes, inputs=inputs, output=output)
        assert operators(opmill.Model(message, optimize=True)) == expected
    unranked = NORMALIZATIONS["layer, Mul"][0].replace("(x)", "(u)").replace("(x, ", "(u, ")
    message = model_of(f"u = Unsqueeze (x, k) {unranked}", SCALES, inputs="float[6] x, int64[c] k")
    assert opmill.Model(message, optimize=True).rewritten == ()


def test_the_reason_is_given_where_a_condition_does_not_hold():
    nodes, constants = LEFT["another slope"]
    model = opmill.Model(model_of(nodes, constants), optimize=True)
    (one,) = model.unrewritten
    expected = "node 1: Mul-13 is not part of HardSwish: HardSigmoid has another slope than 1/6"
    assert str(one) == expected


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_every_kind_compute_the_same(name: str):
    message = proto(NETWORKS[name])
    exact, optimised = opmill.Model(message), opmill.Model(message, optimize=True)
    values = [fed(declared) for declared in exact.inputs]
    for one, other in zip(optimised.run(values), exact.run(values), strict=True):
        if isinstance(other, np.ndarray) and other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        else:
            np.testing.assert_array_equal(one, other)


def fed(declared) -> np.ndarray:
    """A value of a declared type; integers are small indices."""
    shape = tuple(dim if isinstance(dim, int) else 3 for dim in declared.type.dims)
    names = {"float": "float32", "double": "float64"}
    random, element = np.random.default_rng(0), declared.type.element
    is_real = element in ("float16", "float", "double")
    drawn = random.standard_normal(shape) * 2 if is_real else random.integers(0, 3, shape)
    return drawn.astype(names.get(element, element))
