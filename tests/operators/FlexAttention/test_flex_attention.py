"""FlexAttention: random calls beside the oracle, graphs of models, and the published function."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import FunctionProto, defs, helper, parser

import opmill
from onnx_suite import Case, cases
from opmill_checks.graphs import graph, node
from opmill_checks.operators import accuracy_of, oracle_of
from opmill_checks.value import Value

VERSION = ("ai.onnx.preview", "FlexAttention", 1)
FLEX = opmill.operator("FlexAttention", 1, "ai.onnx.preview")
TYPES = {
    "float": (1, np.dtype(np.float32)),
    "float16": (10, np.dtype(np.float16)),
    "double": (11, np.dtype(np.float64)),
    "bfloat16": (16, np.dtype(ml_dtypes.bfloat16)),
}
GRAPHS = (
    None,
    graph(["s"], [node("Add", ["s", "s"], ["t"])], ["t"]),
    graph(["s"], [node("Mul", ["s", "s"], ["t"])], ["t"]),
    graph(["s"], [node("Mul", ["s", "s"], ["m"]), node("Add", ["s", "m"], ["t"])], ["t"]),
)
CASES = [case for case in cases() if case.domain == "ai.onnx.preview"]


def drawn(seed: int) -> tuple[list[Any], dict[str, Any]]:
    """A legal call; its softmax has at least the precision of its inputs, as a tie that two
    computations round apart would otherwise show."""
    chance = random.Random(f"FlexAttention {seed}")
    type_ = chance.choice(list(TYPES))
    wider = [one for one in TYPES if TYPES[one][1].itemsize > TYPES[type_][1].itemsize]
    batch, shared, group = (chance.choice(some) for some in ((1, 2), (1, 2), (1, 1, 2, 3)))
    queries, keys = chance.choice((1, 2, 3, 4)), chance.choice((1, 2, 5, 9))
    size, width = chance.choice((1, 2, 7, 16)), chance.choice((1, 3))
    if seed % 4 == 0:
        empty = chance.choice(range(6))
        numbers = [batch, group, queries, keys, size, width]
        batch, group, queries, keys, size, width = [*numbers[:empty], 0, *numbers[empty + 1 :]]
    shapes = (
        (batch, shared * group, queries, size),
        (batch, shared, keys, size),
        (batch, shared, keys, width),
    )
    normal = np.random.default_rng(seed).normal
    inputs = [normal(size=shape).astype(TYPES[type_][1]) for shape in shapes]
    attributes: dict[str, Any] = {
        "scale": chance.choice((None, 0.5, -1.25, 0.0)),
        "softmax_precision": TYPES[chance.choice(wider)][0] if wider and seed % 2 else None,
        "score_mod": chance.choice(GRAPHS),
        "prob_mod": chance.choice(GRAPHS),
    }
    return inputs, {name: value for name, value in attributes.items() if value is not None}


@pytest.mark.parametrize("seed", range(120))
def test_random_calls(seed: int) -> None:
    inputs, attributes = drawn(seed)
    (result,) = FLEX(inputs, attributes)
    oracle = oracle_of(VERSION)
    assert oracle is not None
    values = dict(zip("QKV", map(Value.from_array, inputs), strict=True))
    expected = oracle(values, attributes)["Y"].to_array()
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    rtol, atol = accuracy_of(VERSION)[Value.from_array(result).type]
    np.testing.assert_allclose(
        result.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=atol
    )


def test_the_random_calls_differ() -> None:
    calls = [drawn(seed) for seed in range(120)]
    assert {str(inputs[0].dtype) for inputs, _ in calls} == {str(d) for _, d in TYPES.values()}
    sizes = [len([1 for one in inputs if one.size]) for inputs, _ in calls]
    assert sizes.count(3) > 30
    for name in ("scale", "softmax_precision", "score_mod", "prob_mod"):
        assert 10 < sum(name in attributes for _, attributes in calls) < 110


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_model_passes_the_tests_of_onnx(case: Case) -> None:
    model = opmill.Model(case.model)
    for inputs, outputs in case.data:
        result = model.run(list(inputs))["Y"]
        assert result.dtype == outputs[0].dtype
        np.testing.assert_allclose(result, outputs[0], rtol=case.rtol, atol=case.atol)


def test_onnx_has_tests_with_both_graphs() -> None:
    given = [{one.name for one in case.model.graph.node[0].attribute} for case in CASES]
    assert len(CASES) >= 11
    assert {"score_mod"} in given
    assert {"prob_mod"} in given


def published(model: onnx.ModelProto) -> onnx.ModelProto:
    """A model of one FlexAttention with the function that ONNX publishes in its place."""
    schema = defs.get_schema("FlexAttention", 1, "ai.onnx.preview")
    (flex,) = model.graph.node
    types = [one.type.SerializeToString() for one in model.graph.input]
    body = schema.get_context_dependent_function_with_opset_version(
        1, flex.SerializeToString(), types
    )
    function = FunctionProto.FromString(body)
    nodes = list(function.node)
    imports = [helper.make_opsetid("", 21)]
    inner = helper.make_graph(nodes, "body", model.graph.input, model.graph.output)
    return helper.make_model(inner, opset_imports=imports, ir_version=10)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_onnxruntime_computes_the_same_by_the_published_function(case: Case) -> None:
    session = ort.InferenceSession(
        published(case.model).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    for inputs, _ in case.data:
        given = dict(zip("QKV", inputs, strict=True))
        (theirs,) = session.run(None, given)
        ours = opmill.Model(case.model).run(given)["Y"]
        half = ours.dtype == np.float16
        np.testing.assert_allclose(
            ours.astype(np.float64),
            theirs.astype(np.float64),
            rtol=2e-3 if half else 2e-5,
            atol=2e-3 if half else 1e-5,
        )


MODEL = """<ir_version: 10, opset_import: ["": 21, "ai.onnx.preview": 1]>
net (TYPE[1, 2, 2, 1] Q, TYPE[1, 1, 2, 1] K, TYPE[1, 1, 2, 1] V, float b) => (TYPE[1, 2, 2, 1] Y) {
  Y = ai.onnx.preview.FlexAttention <ATTRIBUTES> (Q, K, V)
}"""


def text(attributes: str, type_: str = "float") -> str:
    return MODEL.replace("TYPE", type_).replace("ATTRIBUTES", attributes)


def test_a_graph_reads_values_around_it() -> None:
    graph_text = "prob_mod = g (float[1, 2, 2, 2] p) => (float[1, 2, 2, 2] q) { q = Mul(p, b) }"
    model = opmill.Model(parser.parse_model(text(graph_text)))
    zeros = np.zeros((1, 2, 2, 1), np.float32)
    values = np.array([[[[2], [4]]]], np.float32)
    given = {"Q": zeros, "K": values, "V": values, "b": np.float32(10)}
    assert model.run(given)["Y"].tolist() == [[[[30], [30]], [[30], [30]]]]


WRONG: dict[str, tuple[str, str, str]] = {
    "an input": (
        "float",
        "score_mod = g (double[1, 2, 2, 2] s) => (float[1, 2, 2, 2] t) { t = Cast <to = 1> (s) }",
        "input 0 of score_mod has type tensor(double), expected tensor(float) (that of the "
        "softmax)",
    ),
    "an output": (
        "float16",
        "prob_mod = g (float[1, 2, 2, 2] p) => (float16[1, 2, 2, 2] q) { q = Cast <to = 10> (p) }",
        "output 0 of prob_mod has type tensor(float16), expected tensor(float) (that of the "
        "softmax)",
    ),
    "a named precision": (
        "float",
        "softmax_precision = 11, "
        "prob_mod = g (float[1, 2, 2, 2] p) => (float[1, 2, 2, 2] q) { q = Neg(p) }",
        "input 0 of prob_mod has type tensor(float), expected tensor(double) (that of the softmax)",
    ),
    "two inputs": (
        "float",
        "score_mod = g (float[1, 2, 2, 2] s, float t) => (float[1, 2, 2, 2] u) { u = Add(s, t) }",
        "number of inputs of score_mod is 2, expected 1",
    ),
    "two outputs": (
        "float",
        "score_mod = g (float[1, 2, 2, 2] s) => (float[1, 2, 2, 2] t, float[1, 2, 2, 2] u) "
        "{ t = Neg(s) u = Neg(t) }",
        "number of outputs of score_mod is 2, expected 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_model_with_a_wrong_graph_is_refused_when_it_is_read(name: str) -> None:
    type_, attributes, words = WRONG[name]
    with pytest.raises(opmill.OpError) as refused:
        opmill.Model(parser.parse_model(text(attributes, type_)))
    assert str(refused.value) == f"node 0 of ai.onnx.preview: FlexAttention-1: {words}"


def test_a_graph_receives_the_type_of_the_softmax() -> None:
    seen: list[tuple[str, tuple[int, ...]]] = []

    def watching(tensor: np.ndarray[Any, Any]) -> tuple[Any]:
        seen.append((str(tensor.dtype), tensor.shape))
        return (tensor,)

    query, keys = np.zeros((2, 4, 3, 1)), np.zeros((2, 2, 5, 1))
    watchers: dict[str, Callable[..., Any]] = {"score_mod": watching, "prob_mod": watching}
    for type_, (_, dtype) in TYPES.items():
        FLEX([one.astype(dtype) for one in (query, keys, keys)], watchers)
        expected = "float64" if type_ == "double" else "float32"
        assert seen == [(expected, (2, 4, 3, 5))] * 2
        seen.clear()
        for code, precision in TYPES.values():
            given = [one.astype(dtype) for one in (query, keys, keys)]
            (result,) = FLEX(given, {**watchers, "softmax_precision": code})
            assert result.dtype == dtype
            assert seen == [(str(precision), (2, 4, 3, 5))] * 2
            seen.clear()
