"""``opmill.Model``: outputs are the caller's own, whatever a graph passes on, in every kind of run.

A caller may write to every output; no input, constant, other output or later run may change then.
"""

from __future__ import annotations

import threading
from contextlib import nullcontext

import numpy as np
import pytest
from onnx import parser

import opmill

X = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)

PASSING = {
    "an input": "y = Identity(x)",
    "a view": "a = Reshape(x, flat)  y = Reshape(a, pair)",
    "views of one value": "a = Neg(x)  b = Flatten(a)  c = Flatten(a)  y = Identity(b)  z = Abs(c)",
    "an initializer": "y = Identity(w)",
    "a folded constant": "y = Neg(w)",
    "a view of a folded constant": "a = Neg(w)  b = Reshape(a, flat)  y = Reshape(b, pair)",
    "a constant and what is computed from it": "a = Neg(w)  y = Abs(a)  z = Add(a, x)",
    "an optional": "o = Optional(x)  y = OptionalGetElement(o)",
    "an optional of a view": "v = Reshape(x, pair)  o = Optional(v)  y = OptionalGetElement(o)",
    "an optional of a constant": "o = Optional(w)  y = OptionalGetElement(o)",
    "what is no optional": "y = OptionalGetElement(x)",
    "a sequence": "s = SequenceConstruct(x, w)  y = SequenceAt(s, zero)",
    "a sequence of a view": "v = Reshape(x, pair)  "
    "s = SequenceConstruct(v)  y = SequenceAt(s, zero)",
    "one element twice": "s = SequenceConstruct(x)  "
    "y = SequenceAt(s, zero)  z = SequenceAt(s, zero)",
    "a joined sequence": "s = SequenceConstruct(x)  y = ConcatFromSequence <axis = 0> (s)",
    "a branch": "y = If <then_branch = t () => (float[2, 3] r) { r = Identity(x) }, "
    "else_branch = e () => (float[2, 3] q) { q = Identity(w) }> (yes)",
    "a branch that has an outer value": "y = If <then_branch = t () => (float[2, 3] x) { }, "
    "else_branch = e () => (float[2, 3] w) { }> (yes)",
    "a branch that has a constant": "y = If <then_branch = t () => (float[2, 3] w) { }, "
    "else_branch = e () => (float[2, 3] x) { }> (yes)",
    "a loop of no trips": "y = Loop <body = b (int64 i, bool c, float[2, 3] v) "
    "=> (bool c, float[2, 3] u) { u = Neg(v) }> (zero, yes, x)",
    "a loop that passes on": "y = Loop <body = b (int64 i, bool c, float[2, 3] v) "
    "=> (bool c, float[2, 3] v) { }> (two, yes, x)",
    "a loop that collects constants": "y = Loop <body = b (int64 i, bool c) "
    "=> (bool c, float[3] q) { q = Constant <value_floats = [1.0, 2.0, 3.0]> () }> (two, yes)",
    "a scan that passes on": "y, z = Scan <num_scan_inputs = 1, "
    "body = b (float[2, 3] s, float[3] r) => (float[2, 3] s, float[3] r) { }> (w, x)",
    "dropout": "y = Dropout(x)",
    "a cast to the same type": "y = Cast <to = 1> (x)",
    "a split of one part": "y = Split <num_outputs = 1> (x)",
    "one input of many": "y = Concat <axis = 0> (x)",
    "a sum of one": "y = Sum(x)",
    "a maximum of one": "y = Max(x)",
    "an expansion by nothing": "y = Expand(x, pair)",
    "a slice of everything": "y = Slice(x, from, till)",
    "einsum": 'y = Einsum <equation = "ij->ij"> (x)',
    "a transpose of nothing": "y = Transpose <perm = [0, 1]> (x)",
}
"""Nodes that may be computed without copying, by what they pass on."""


def model_of(nodes: str) -> opmill.Model:
    """A model with the outputs y and, where the nodes have it, z; and x itself as an output."""
    more = ", z" if "z =" in nodes or ", z" in nodes.split("=")[0] else ""
    text = f"""
    <ir_version: 8, opset_import: ["": 18]>
    g (float[n, m] x) => (y, x{more})
    <float[2, 3] w = {{1, 2, 3, 4, 5, 6}}, int64[1] flat = {{-1}}, int64[2] pair = {{2, 3}},
     int64 zero = {{0}}, int64 two = {{2}}, bool yes = {{1}}, int64[2] from = {{0, 0}},
     int64[2] till = {{2, 3}}>
    {{ {nodes} }}"""
    return opmill.Model(parser.parse_model(text))


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize("passed", PASSING)
def test_outputs_are_the_callers_own(passed, backend):
    model = model_of(PASSING[passed])
    choice = opmill.use_backend(backend) if backend == "numpy" else nullcontext()
    with choice:
        x = X.copy()
        first = model.run([x])
        kept = [value.copy() for value in first]
        for value in first:
            assert value.flags.writeable
        for k, value in enumerate(first):
            value[...] = 77 + k
        assert (x == X).all()
        assert [float(value.flat[0]) for value in first] == [77 + k for k in range(len(first))]
        second = model.run([x])
    for value, expected in zip(second, kept, strict=True):
        np.testing.assert_array_equal(value, expected)
    assert [float(value.flat[0]) for value in first] == [77 + k for k in range(len(first))]


SHAPES = """
<ir_version: 8, opset_import: ["": 18]>
g (float[n, m] x) => (float[a] flat, float[b, c] kept, float[n, m] x, float[d] same)
<int64[1] all = {-1}, int64[2] back = {0, -1}, int64[1] first = {0}> {
    h = Neg(x)
    r = Reshape(h, all)
    flat = Abs(r)
    u = Unsqueeze(h, first)
    s = Squeeze(u, first)
    k = Reshape <allowzero = 0> (s, back)
    kept = Add(k, x)
    size = Shape(h)
    count = ReduceProd <keepdims = 1> (size)
    t = Reshape <allowzero = 1> (h, count)
    same = Neg(t)
}"""


def check_shapes(outputs, x):
    flat, kept, given, same = outputs
    np.testing.assert_array_equal(flat, np.abs(x).ravel())
    np.testing.assert_array_equal(kept, np.zeros_like(x))
    np.testing.assert_array_equal(given, x)
    np.testing.assert_array_equal(same, x.ravel())


def arrays(seed):
    """Inputs of many shapes: equal sizes in different shapes, no elements, rows, large ones."""
    generator = np.random.default_rng(seed)
    for n, m in [(2, 3), (3, 2), (1, 6), (6, 1), (5, 0), (300, 400), (400, 300), (1, 1)]:
        yield generator.standard_normal((n, m)).astype(np.float32)
    yield generator.standard_normal((4, 6)).astype(np.float32)[::2, ::-1]
    yield generator.standard_normal((4, 6)).astype(np.float32).T


def test_shapes_take_turns():
    model = opmill.Model(parser.parse_model(SHAPES))
    for seed in range(3):
        for x in arrays(seed):
            check_shapes(model.run([x]), x)


def test_more_shapes_than_a_node_remembers():
    model = opmill.Model(parser.parse_model(SHAPES))
    for n in [*range(1, 90), *range(1, 90)]:
        x = np.full((n, 2), n, np.float32)
        check_shapes(model.run([x]), x)


def test_a_shape_that_is_given_is_read_in_every_run():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[n] x, int64[2] shape) => (float[a, b] y) <int64[2] shape = {2, 3}> {
            h = Neg(x)
            r = Reshape(h, shape)
            y = Neg(r)
        }""")
    )
    x, shape = np.arange(6, dtype=np.float32), np.array([6, 1])
    for given in ([2, 3], [3, 2], [1, 6], [2, 3]):
        shape[:] = given
        assert model.run([x, shape])[0].tolist() == x.reshape(given).tolist()
        assert model.run([x])[0].tolist() == x.reshape(2, 3).tolist()
    with pytest.raises(opmill.OpError, match=r"node 1 of ai\.onnx: Reshape-14: "):
        model.run([x, np.array([4, 4])])


def test_a_shape_that_does_not_fit_is_refused_after_others_did():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[n, m] x) => (float[a, b] y) <int64[2] shape = {2, -1}> {
            h = Neg(x)
            r = Reshape(h, shape)
            y = Neg(r)
        }""")
    )
    for _ in range(2):
        assert model.run([np.ones((4, 3), np.float32)])[0].shape == (2, 6)
        with pytest.raises(opmill.OpError, match=r"node 1 of ai\.onnx: Reshape-14: "):
            model.run([np.ones((3, 3), np.float32)])
    assert model.run([np.ones((3, 4), np.float32)])[0].shape == (2, 6)


def test_every_choice_of_outputs_has_memory_of_its_own():
    model = opmill.Model(parser.parse_model(SHAPES))
    names = ["flat", "kept", "x", "same"]
    for x in arrays(0):
        whole = model.run([x])
        expected = {name: whole[name].copy() for name in names}
        for mask in range(1, 16):
            wanted = [name for k, name in enumerate(names) if mask >> k & 1]
            found = model.run([x], outputs=[*wanted, *wanted])
            for name, value in zip([*wanted, *wanted], found, strict=True):
                np.testing.assert_array_equal(value, expected[name])
                value[...] = 9
        for name in names:
            np.testing.assert_array_equal(whole[name], expected[name])


def test_outputs_outlive_later_runs_and_the_model():
    model = opmill.Model(parser.parse_model(SHAPES))
    inputs = list(arrays(1))
    kept = [model.run([x]) for x in inputs]
    for x in arrays(2):
        model.run([x])
    del model
    for x, outputs in zip(inputs, kept, strict=True):
        check_shapes(outputs, x)


def test_threads_with_different_shapes_backends_and_outputs():
    model = opmill.Model(parser.parse_model(SHAPES))
    start, failures = threading.Barrier(4), []

    def work(number):
        try:
            with opmill.use_backend(opmill.backends()[number % len(opmill.backends())]):
                start.wait()
                for _ in range(20):
                    for x in arrays(number):
                        outputs = model.run([x])
                        check_shapes(outputs, x)
                        for value in outputs:
                            value[...] = number
                        flat = model.run([x], outputs=["flat"])[0]
                        np.testing.assert_array_equal(flat, np.abs(x).ravel())
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_an_input_that_is_given_twice_and_also_an_output():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[n] a, float[n] b) => (float[n] a, float[n] b, float[n] c) { c = Add(a, b) }""")
    )
    x = np.ones(3, np.float32)
    a, b, c = model.run([x, x])
    a += 1
    b += 2
    assert (x.tolist(), a.tolist(), b.tolist(), c.tolist()) == ([1] * 3, [2] * 3, [3] * 3, [2] * 3)


@pytest.mark.parametrize("kind", ["reversed", "strided", "swapped", "read-only", "unaligned"])
def test_inputs_in_any_memory(kind):
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    given = {
        "reversed": x[::-1],
        "strided": np.repeat(x, 2, axis=1)[:, ::2],
        "swapped": x.astype(x.dtype.newbyteorder()),
        "read-only": np.frombuffer(x.tobytes(), np.float32).reshape(3, 4),
        "unaligned": np.frombuffer(b"." + x.tobytes(), np.float32, offset=1).reshape(3, 4),
    }[kind]
    expected = x[::-1] if kind == "reversed" else x
    model = model_of("a = Reshape(x, flat)  b = Unsqueeze(a, flat)  y = Flatten(b)")
    model.run([x])
    for _ in range(2):
        y, same = model.run([given])
        np.testing.assert_array_equal(y, expected.reshape(12, 1))
        np.testing.assert_array_equal(same, expected)
        assert y.dtype.isnative
        assert y.flags.writeable
        assert same.flags.writeable
        y[...] = same[...] = 0


def test_the_tensors_of_a_sequence_are_the_callers_own():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[n] x) => (seq(float[n]) s, seq(float[n]) t) <float[2] w = {1, 2}> {
            s = SequenceConstruct(x, w, x)
            t = SequenceInsert(s, w)
        }""")
    )
    x = np.zeros(2, np.float32)
    for _ in range(2):
        s, t = model.run([x])
        assert [one.tolist() for one in s] == [[0, 0], [1, 2], [0, 0]]
        assert [one.tolist() for one in t] == [[0, 0], [1, 2], [0, 0], [1, 2]]
        for k, one in enumerate([*s, *t]):
            one[...] = 5 + k
        assert [float(one[0]) for one in [*s, *t]] == list(range(5, 12))
        assert x.tolist() == [0, 0]
