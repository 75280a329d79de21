"""``opmill.Model``: iterations that one call computes give what they give one by one.

A run that a trace measures computes node by node: that is what the others are compared with.
"""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

import opmill
from opmill._model.bodies import Body

pytestmark = pytest.mark.skipif("c" not in opmill.backends(), reason="there is no native module")

RANDOM = np.random.default_rng(5)
LENGTHS = (1, 2, 3, 64, 255, 256, 257, 258, 600)

LOOPS = {
    "a sum": "(float[2, 3] s) => (c, t) { t = Add(s, x) }",
    "a sum that is collected": "(float[2, 3] s) => (c, t, t) { t = Add(s, x) }",
    "collected twice": "(float[2, 3] s) => (c, t, n, n) { t = Add(s, x) n = Neg(t) }",
    "nothing handed on": "() => (c, n) { n = Add(x, x) }",
    "the number of the iteration": "(float[2, 3] s) => (c, t, f) "
    "{ f = Cast <to = 1> (i) t = Add(s, f) }",
    "what is handed on unchanged": "(float[2, 3] s, float[2, 3] q) => (c, t, q, q) "
    "{ t = Add(s, q) }",
    "what is handed on and not read": "(float[2, 3] s) => (c, t) { t = Neg(x) }",
    "a swap": "(float[2, 3] s, float[2, 3] q) => (c, q, t) { t = Add(s, q) }",
    "the same result for two": "(float[2, 3] s, float[2, 3] q) => (c, t, t) { t = Sub(s, q) }",
    "a value from outside": "(float[2, 3] s) => (c, t, x) { t = Add(s, x) }",
    "a constant": "(float[2, 3] s) => (c, t, k) { k = Constant <value_floats = [1.0, 2.0]> () "
    "t = Add(s, x) }",
    "a growing value": "(float[2, m] s) => (c, t) { p = Slice(s, zeros, ones, ones) "
    "t = Concat <axis = 1> (s, p) }",
    "a view": "(float[2, 3] s) => (c, t, r) { t = Add(s, x) r = Reshape(t, flat) }",
    "an element": "(float[2, 3] s) => (c, t) { m = Mod(i, two) e = Gather <axis = 0> (x, m) "
    "t = Add(s, e) }",
    "a condition on data": "(float[2, 3] s) => (d, t, t) { t = Add(s, half) "
    "z = ReduceMax <keepdims = 0> (t) d = Less(z, bound) }",
    "a condition that is false at once": "(float[2, 3] s) => (d, t, t) { t = Add(s, half) "
    "d = Less(i, zero) }",
    "a condition of the number": "(float[2, 3] s) => (d, t, t) { t = Add(s, half) "
    "d = Less(i, late) }",
    "a condition on what is handed on": "(bool g) => (g, h) { h = And(g, c) }",
}
SIZES = {"a growing value": 20}


def model_of(body: str, *, limited: bool = True, conditional: bool = True) -> opmill.Model:
    """A loop with the number n of iterations and the condition yes, where these are wanted."""
    inputs, results = body.split("=>", 1)
    states = inputs.count("[") + inputs.count("bool")
    count = results.split(")")[0].count(",")
    outputs = ", ".join(f"y{k}" for k in range(count))
    initial = ["yes" if "bool" in inputs else "x"] * states
    given = ", ".join(["n" if limited else "", "yes" if conditional else "", *initial])
    declared = f", {inputs.strip()[1:-1]}" if states else ""
    text = f"""
    <ir_version: 8, opset_import: ["": 18]>
    g (float[2, 3] x, int64 n) => ({outputs})
    <bool yes = {{1}}, int64[1] zeros = {{1}}, int64[1] ones = {{1}}, int64[1] flat = {{-1}},
     int64 two = {{2}}, float half = {{0.5}}, float bound = {{50}}, int64 zero = {{0}},
     int64 late = {{300}}>
    {{ {outputs} = Loop <body = b (int64 i, bool c{declared}) => {results}> ({given}) }}"""
    return opmill.Model(parser.parse_model(text.replace("zeros = {1}", "zeros = {0}")))


def check(model: opmill.Model, inputs) -> None:
    with model.trace():
        expected = model.run(inputs)
    found = model.run(inputs)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
        assert one.flags.c_contiguous
        assert one.flags.writeable
    for position, one in enumerate(found):
        assert not any(np.may_share_memory(one, other) for other in found[:position])
        assert not any(np.may_share_memory(one, other) for other in inputs)


@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.parametrize("conditional", [False, True])
def test_a_loop_computes_what_it_computes_one_by_one(name, conditional):
    model = model_of(LOOPS[name], conditional=conditional)
    x = RANDOM.standard_normal((2, 3)).astype(np.float32)
    for length in LENGTHS:
        check(model, [x, np.array(min(length, SIZES.get(name, length)), np.int64)])


def test_no_iterations():
    model = model_of(LOOPS["a sum"])
    x = RANDOM.standard_normal((2, 3)).astype(np.float32)
    for length in (0, 3, 0):
        check(model, [x, np.array(length, np.int64)])


@pytest.mark.parametrize(
    "name", [name for name in LOOPS if " d, " in LOOPS[name] or "(d," in LOOPS[name]]
)
def test_a_loop_that_its_condition_alone_ends(name):
    model = model_of(LOOPS[name], limited=False)
    for x in (np.zeros((2, 3), np.float32), np.full((2, 3), 49, np.float32)):
        check(model, [x, np.array(0, np.int64)])


SCANS = {
    "a sum": ("s + e", "num_scan_inputs = 1", "t, t"),
    "backwards": (
        "s + e",
        "num_scan_inputs = 1, scan_input_directions = [1], scan_output_directions = [1]",
        "t, t",
    ),
    "another axis": (
        "s + e",
        "num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1]",
        "t, t",
    ),
}


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("length", [1, 2, 3, 300])
def test_a_scan_computes_what_it_computes_one_by_one(name, length):
    _, attributes, results = SCANS[name]
    model = opmill.Model(
        parser.parse_model(f"""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[3] x, float[k, l] z) => (y, v) {{
            y, v = Scan <{attributes}, body = b (float[3] s, float[3] e) => ({results})
                {{ a = Mul(s, e) t = Add(a, e) }}> (x, z)
        }}""")
    )
    shape = (3, length) if "axes" in attributes else (length, 3)
    x, z = RANDOM.standard_normal(3).astype(np.float32), RANDOM.standard_normal(shape)
    check(model, [x, (z / 4).astype(np.float32)])
    check(model, [x, np.asfortranarray((z / 4).astype(np.float32))])


def test_scalars_are_scanned():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float s, float[k] z) => (y, v) {
            y, v = Scan <num_scan_inputs = 1, body = b (float a, float e) => (t, u)
                { t = Add(a, e) u = Neg(t) }> (s, z)
        }""")
    )
    check(model, [np.array(1, np.float32), np.arange(40, dtype=np.float32)])


def test_most_iterations_do_not_call_the_graph(monkeypatch):
    calls = []
    run = Body.run

    def counted(self, inputs, arguments):
        calls.append(1)
        return run(self, inputs, arguments)

    monkeypatch.setattr(Body, "run", counted)
    model = model_of(LOOPS["a condition of the number"])
    x = np.zeros((2, 3), np.float32)
    y = model.run([x, np.array(1000)])
    assert y[1].shape == (301, 2, 3)
    assert len(calls) <= 2


def test_an_error_is_that_of_the_node_in_its_iteration():
    model = opmill.Model(
        parser.parse_model(
            """
        <ir_version: 8, opset_import: ["": 18]>
        g (float[5] x, int64 n) => (y, z) {
            y, z = Loop <body = b (int64 i, bool c, float s) => (c, t, e)
                { e = Gather <axis = 0> (x, i) t = Add(s, e) }> (n, , zero)
        }""".replace("=> (y, z) {", "=> (y, z) <float zero = {0}> {")
        )
    )
    x = np.arange(5, dtype=np.float32)
    for _ in range(2):
        check(model, [x, np.array(5)])
        with pytest.raises(opmill.OpError) as found:
            model.run([x, np.array(7)])
        with pytest.raises(opmill.OpError) as expected, model.trace():
            model.run([x, np.array(7)])
        assert str(found.value) == str(expected.value)
        assert "Gather-13" in str(found.value)


def test_counters_and_conditions_of_rank_1():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (int64[1] s, int64[1] n) => (y, z) <bool[1] yes = {1}, int64[1] late = {70}> {
            y, z = Loop <body = b (int64[1] i, bool[1] c, int64[1] s) => (d, t, t)
                { t = Add(s, i) d = Less(i, late) }> (n, yes, s)
        }""")
    )
    check(model, [np.array([3]), np.array([50])])
    check(model, [np.array([3]), np.array([500])])


def test_every_backend_and_instruction_set():
    model = model_of(LOOPS["a condition on data"])
    x = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
    for name in opmill.instruction_sets():
        with opmill.use_instruction_set(name):
            check(model, [x, np.array(90)])
    with opmill.use_backend("numpy"):
        check(model, [x, np.array(90)])
