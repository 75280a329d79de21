"""DynamicQuantizeLSTM replaced by operators of ai.onnx, a Scan for each direction among them.

The results of the operator, which its own tests compare with an oracle, are the expected ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

import opmill
from calls import recurrent
from opmill_checks.drawing import Chance, Contents

runtime = pytest.importorskip("onnxruntime")
quantized_lstm = pytest.importorskip("quantized_lstm")

Arrays = Mapping[str, NDArray[Any] | None]

INPUTS = (
    *("X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c", "P"),
    *("W_scale", "W_zero_point", "R_scale", "R_zero_point"),
)
OUTPUTS = {"Y": 4, "Y_h": 3, "Y_c": 3}
WEIGHTS = ("W", "R", "W_scale", "W_zero_point", "R_scale", "R_zero_point")
RTOL, ATOL = 2e-5, 1e-3
"""The operator's tolerance: a state between two integers of its quantization becomes either."""
DRAWN = 60


def model(given: Arrays, attributes: Mapping[str, Any], opset: int, *, sized: bool) -> ModelProto:
    """A model of one node with constant weights, whose steps and sequences have sizes or names."""
    node = helper.make_node(
        "DynamicQuantizeLSTM",
        ["" if given.get(name) is None else name for name in INPUTS],
        list(OUTPUTS),
        domain="com.microsoft",
        **attributes,
    )
    values = {name: one for name in INPUTS if (one := given.get(name)) is not None}
    inputs = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(one.dtype),
            one.shape if sized or one.ndim < 3 else [None, None, one.shape[2]],
        )
        for name, one in values.items()
        if name not in WEIGHTS
    ]
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * rank)
        for name, rank in OUTPUTS.items()
    ]
    constants = [numpy_helper.from_array(values[name], name) for name in WEIGHTS]
    graph = helper.make_graph([node], "g", inputs, outputs, constants)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def feeds_of(model: ModelProto, given: Arrays) -> dict[str, NDArray[Any]]:
    found = {one.name: given[one.name] for one in model.graph.input}
    return {name: one for name, one in found.items() if one is not None}


def run_elsewhere(model: ModelProto, feeds: Mapping[str, Any]) -> Sequence[Any]:
    """The results of onnxruntime, whose sums of 8-bit products are exact on demand alone."""
    options = runtime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    session = runtime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found: Sequence[Any] = session.run(None, feeds)
    return found


def check(original: ModelProto, given: Arrays, *, elsewhere: bool = True) -> ModelProto:
    """Convert a model and compare results; return the converted model."""
    feeds = feeds_of(original, given)
    wanted = list(opmill.Model(original).run(feeds))
    done = opmill.convert(original, domain="ai.onnx")
    checker.check_model(done, full_check=True)
    assert {one.domain for one in done.opset_import} == {""}
    answers = [list(opmill.Model(done).run(feeds))]
    if elsewhere:
        answers.append(list(run_elsewhere(done, feeds)))
    for found in answers:
        for value, expected in zip(found, wanted, strict=True):
            np.testing.assert_allclose(value, expected, RTOL, ATOL)
    return done


def drawn(seed: int) -> tuple[dict[str, NDArray[Any] | None], Mapping[str, Any]]:
    """A legal call, or one whose lengths are out of range."""
    call = recurrent.quantized(Chance(f"freed {seed}"))
    word = np.int8 if seed % 2 else np.uint8
    types = {"sequence_lens": np.int32, **dict.fromkeys(("W", "R"), word)}
    types.update(dict.fromkeys(("W_zero_point", "R_zero_point"), word))
    found: dict[str, NDArray[Any] | None] = {}
    for name in INPUTS:
        one = call.inputs[name]
        assert one is None or isinstance(one, Contents)
        if one is not None:
            found[name] = np.array(one.items, types.get(name, np.float32)).reshape(one.shape)
    return found, call.attributes


@pytest.mark.parametrize("opset", [11, 13, 17, 22, 25])
def test_drawn_calls(opset: int):
    compared = 0
    for seed in range(opset, opset + DRAWN, 5):
        given, attributes = drawn(seed)
        X, lengths = given["X"], given.get("sequence_lens")
        assert X is not None
        if lengths is not None and any(not 0 <= one <= len(X) for one in lengths):
            continue
        original = model(given, attributes, opset, sized=seed % 3 > 0)
        # onnxruntime does not write products over no elements
        check(original, given, elsewhere=X.shape[2] > 0)
        compared += 1
    assert compared > DRAWN // 5 // 2


WORDS = (
    *("Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus"),
    *("Softsign", "Tanh", "ThresholdedRelu"),
)


def small_call(steps: int) -> dict[str, NDArray[Any] | None]:
    """Three sequences, weights of two directions, and peepholes."""
    random = np.random.default_rng(11)

    def floats(*shape: int) -> NDArray[Any]:
        return (random.integers(-16, 17, shape) / 16).astype(np.float32)

    return {
        "X": floats(steps, 3, 4),
        "W": random.integers(-60, 61, (2, 4, 8), np.int8),
        "R": random.integers(-9, 10, (2, 2, 8), np.int8),
        "B": floats(2, 16),
        "initial_h": floats(2, 3, 2),
        "initial_c": floats(2, 3, 2),
        "P": floats(2, 6),
        "W_scale": np.array([0.01, 0.02], np.float32),
        "W_zero_point": np.array([0, 0], np.int8),
        "R_scale": np.array([0.01, 0.02], np.float32),
        "R_zero_point": np.array([0, 0], np.int8),
    }


@pytest.mark.parametrize(
    ("word", "has_numbers"),
    [(word, True) for word in WORDS]
    + [(word, False) for word in WORDS if word not in ("Affine", "ScaledTanh")],
)
def test_activations(word: str, has_numbers: bool):
    """One word in each direction, the second in lower case; alphas and betas are in order."""
    attributes: dict[str, Any] = {"direction": "bidirectional", "hidden_size": 2}
    attributes["activations"] = ["HardSigmoid", word, "Tanh", "Sigmoid", word.lower(), "Softsign"]
    if has_numbers:
        attributes["activation_alpha"] = [0.25, 0.5, 0.75]
        attributes["activation_beta"] = [0.375, 0.125, 0.625]
    given = small_call(3)
    check(model(given, attributes, 17, sized=True), given)
    attributes["clip"] = 0.25
    check(model(given, attributes, 17, sized=True), given)


@pytest.mark.parametrize("direction", ["bidirectional", "reverse"])
@pytest.mark.parametrize("lengths", [None, [0, 0, 0]])
def test_no_steps(direction: str, lengths: list[int] | None):
    """The last states are the initial ones, although no runtime scans nothing."""
    given = small_call(0)
    if direction == "reverse":
        one_direction = {name: one[:1] for name, one in given.items() if one is not None}
        given = {**one_direction, "X": given["X"]}
    if lengths is not None:
        given["sequence_lens"] = np.array(lengths, np.int32)
    attributes = {"direction": direction, "hidden_size": 2}
    done = check(model(given, attributes, 21, sized=False), given)
    _, last, _ = opmill.Model(done).run(feeds_of(done, given))
    np.testing.assert_array_equal(last, given["initial_h"])


@pytest.mark.parametrize("opset", [11, 21, 25])
def test_two_layers_share_no_name(opset: int):
    given = small_call(4)
    attributes = {"direction": "bidirectional", "hidden_size": 2}
    original = model(given, attributes, opset, sized=False)
    second = original.graph.node.add()
    second.CopyFrom(original.graph.node[0])
    second.input[0] = "joined"
    second.output[:] = ["Z", "", ""]
    columns = numpy_helper.from_array(np.array([0, 0, 4], np.int64), "columns")
    original.graph.initializer.append(columns)
    turn = helper.make_node("Transpose", ["Y"], ["turned"], perm=[0, 2, 1, 3])
    join = helper.make_node("Reshape", ["turned", "columns"], ["joined"])
    nodes = [original.graph.node[0], turn, join, second]
    graph = helper.make_graph(
        nodes,
        "two",
        original.graph.input,
        [helper.make_tensor_value_info("Z", TensorProto.FLOAT, [None] * 4)],
        original.graph.initializer,
    )
    both = helper.make_model(graph, opset_imports=original.opset_import, ir_version=10)
    done = check(both, given)
    names = [one.name for one in (*done.graph.input, *done.graph.initializer)]
    bodies = []
    for node in done.graph.node:
        names.extend(filter(None, node.output))
        bodies += [one.g for one in node.attribute if one.HasField("g")]
    for body in bodies:
        names.extend(one.name for one in body.input)
        names.extend(name for node in body.node for name in node.output)
    assert len(bodies) == 4
    assert len(names) == len(set(names))


def test_opsets_without_dynamic_quantization():
    given = small_call(2)
    attributes = {"direction": "bidirectional", "hidden_size": 2}
    reason = "DynamicQuantizeLinear is new in opset 11, and no older operator computes it"
    with pytest.raises(opmill.ConversionError, match=reason):
        opmill.convert(model(given, attributes, 10, sized=True), domain="ai.onnx")


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_network_of_the_quantizer(tmp_path, direction: str, per_channel: bool):
    """An LSTM that onnxruntime quantized, on both runtimes, for two numbers of steps."""
    path = tmp_path / "quantized.onnx"
    quantized_lstm.write_network(path, direction, per_channel)
    assert "DynamicQuantizeLSTM" in [node.op_type for node in onnx.load(path).graph.node]
    done = opmill.convert(path, domain="ai.onnx")
    checker.check_model(done, full_check=True)
    assert {node.domain for node in done.graph.node} == {""}
    original = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for steps in (1, 9):
        X = np.random.default_rng(steps).standard_normal((steps, 2, 12)).astype(np.float32)
        wanted = original.run(None, {"X": X})
        for found in (list(opmill.Model(done).run({"X": X})), run_elsewhere(done, {"X": X})):
            for value, expected in zip(found, wanted, strict=True):
                np.testing.assert_allclose(value, expected, 0, 2e-3)
