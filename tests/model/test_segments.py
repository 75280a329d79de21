"""``opmill.Model``: nodes that one call computes give what they give one by one.

A run that a trace measures computes node by node: that is what the others are compared with.
"""

from __future__ import annotations

import signal
import threading
from itertools import pairwise

import numpy as np
import pytest
from onnx import helper, numpy_helper, parser

import opmill

pytestmark = pytest.mark.skipif("c" not in opmill.backends(), reason="there is no native module")

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((4, 6)).astype(np.float32)
WEIGHTS = {
    "W": RANDOM.standard_normal((6, 6)).astype(np.float32),
    "B": RANDOM.standard_normal(6).astype(np.float32),
}

GRAPHS = {
    "a chain": "a = MatMul(x, W)  b = Add(a, B)  y = Relu(b)",
    "a residual": "a = Gemm(x, W, B)  b = Relu(a)  c = Add(x, b)  y = Add(c, b)",
    "a view in between": "a = Abs(x)  b = Reshape(a, flat)  c = Neg(b)  y = Reshape(c, pair)",
    "a view of an input": "a = Flatten(x)  y = Neg(a)",
    "a view of a view, read late": "a = Abs(x)  b = Unsqueeze(a, zeros)  c = Identity(b)  "
    "d = Neg(a)  e = Neg(d)  f = Neg(e)  g = Squeeze(c, zeros)  y = Add(f, g)",
    "shape arithmetic": "a = Shape(x)  b = Gather <axis = 0> (a, zeros)  "
    "c = Concat <axis = 0> (b, flat)  d = Abs(x)  y = Reshape(d, c)",
    "several outputs": "a, b = Split <axis = 1, num_outputs = 2> (x)  "
    "c = Concat <axis = 1> (b, a)  y = Neg(c)",
    "an optional output": "a, i = TopK(x, two)  b = Cast <to = 1> (i)  y = Add(a, b)",
    "an unread output": "a, i = TopK(x, two)  y = Neg(a)",
    "an absent input": "a = Clip(x, , half)  b = Abs(a)  y = Clip(b, half)",
    "outputs that nodes read": "y = Abs(x)  z = Neg(y)  a = Neg(z)",
    "an unread value": "a = Abs(x)  b = Neg(x)  c = Neg(b)  y = Add(a, c)",
    "a shape that depends on data": "a = Abs(x)  i = NonZero(a)  b = Cast <to = 1> (i)  "
    "c = Neg(b)  y = Neg(c)",
    "a number that depends on data": "a = ReduceMax <keepdims = 0> (x)  b = Mul(a, a)  "
    "c = Add(b, half)  d = Cast <to = 7> (c)  e = Range(zero, d, one)  f = Neg(e)  y = Neg(f)",
    "a sequence in between": "a = Abs(x)  s = SequenceConstruct(a, x)  "
    "b = ConcatFromSequence <axis = 0> (s)  c = Neg(b)  y = Neg(c)",
    "a branch in between": "a = ReduceSum <keepdims = 0> (x)  c = Greater(a, half)  b = Abs(x)  "
    "d = If <then_branch = t () => (float[n, m] r) { q = Neg(b) r = Neg(q) }, "
    "else_branch = e () => (float[n, m] r) { q = Abs(b) r = Sqrt(q) }> (c)  y = Neg(d)",
    "attributes of every kind": 'a = Einsum <equation = "ij,kj->ik"> (x, x)  '
    "b = Softmax <axis = 0> (a)  c = LeakyRelu <alpha = 0.25> (b)  "
    "y = Transpose <perm = [1, 0]> (c)",
    "types": "a = Cast <to = 10> (x)  b = Add(a, a)  c = Cast <to = 16> (b)  d = Neg(c)  "
    "y = Cast <to = 11> (d)",
}


def model_of(nodes: str, rows: str = "n") -> opmill.Model:
    more = ", z" if "z =" in nodes else ""
    text = f"""
    <ir_version: 8, opset_import: ["": 18]>
    g (float[{rows}, m] x) => (y{more})
    <int64[1] flat = {{-1}}, int64[2] pair = {{-1, 6}},
     int64[1] zeros = {{0}}, int64[1] two = {{2}}, float half = {{0.5}}, int64 zero = {{0}},
     int64 one = {{1}}>
    {{ {nodes} }}"""
    model = parser.parse_model(text)
    model.graph.initializer.extend(
        numpy_helper.from_array(value, name) for name, value in WEIGHTS.items()
    )
    return opmill.Model(model)


def one_by_one(model: opmill.Model, given):
    with model.trace():
        return model.run(given)


def check(model: opmill.Model, given) -> None:
    before = given.copy()
    expected = one_by_one(model, [given])
    found = model.run([given])
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
        assert one.flags.c_contiguous
        assert one.flags.owndata
    assert given.tobytes() == before.tobytes()


def segments(parts) -> list:
    """All segments of a program."""
    return [segment for part in parts for segment in [*part._segments, *segments(part._parts)]]


@pytest.mark.parametrize("nodes", GRAPHS)
def test_segments_compute_what_nodes_compute_one_by_one(nodes):
    model = model_of(GRAPHS[nodes])
    for rows in (4, 4, 1, 4, 3, 1, 4):
        given = RANDOM.standard_normal((rows, 6)).astype(np.float32)
        check(model, given)
    (program,) = model._plans.values()
    assert segments(program.parts)


@pytest.mark.parametrize("nodes", GRAPHS)
def test_every_backend_instruction_set_and_number_of_threads(nodes):
    model = model_of(GRAPHS[nodes])
    threads = opmill.get_threads()
    try:
        for count in (1, 2, 1):
            opmill.set_threads(count)
            check(model, X)
            for name in opmill.instruction_sets():
                with opmill.use_instruction_set(name):
                    check(model, X)
            with opmill.use_backend("numpy"):
                check(model, X)
    finally:
        opmill.set_threads(threads)


def test_a_whole_network_is_one_segment():
    model = model_of(GRAPHS["shape arithmetic"])
    model.run([X])
    model.run([X])
    (program,) = model._plans.values()
    assert len(program.parts) == 1
    assert len(segments(program.parts)) == 1


def test_shapes_that_change_in_every_run_are_not_planned_for_ever():
    model = model_of(GRAPHS["a residual"])
    for rows in range(1, 30):
        check(model, RANDOM.standard_normal((rows, 6)).astype(np.float32))
    (program,) = model._plans.values()
    assert len(segments(program.parts)) == 8


def test_no_elements():
    check(model_of(GRAPHS["a residual"]), np.empty((0, 6), np.float32))


@pytest.mark.parametrize(
    "given",
    [
        np.asfortranarray(X),
        X[::-1],
        X.astype(">f4"),
        np.broadcast_to(X[:1], X.shape),
        np.frombuffer(b"0" + X.tobytes(), np.uint8)[1:].view(np.float32).reshape(X.shape),
    ],
    ids=["Fortran", "reversed", "swapped", "broadcast", "unaligned"],
)
def test_arrays_of_every_layout(given):
    model = model_of(GRAPHS["a residual"])
    expected = model.run([X])[0] if given.tobytes() == X.tobytes() else None
    check(model, given)
    model.run([X])
    check(model, given)
    if expected is not None:
        assert model.run([given])[0].tobytes() == expected.tobytes()


GATHERING = """
<ir_version: 8, opset_import: ["": 18]>
g (float[n] x, int64[k] i) => (y) {
    a = Neg(x)
    b = Gather <axis = 0> (a, i)
    y = Neg(b)
}"""


def test_an_error_is_that_of_the_node_and_later_runs_are_not_affected():
    model = opmill.Model(parser.parse_model(GATHERING))
    x, good, bad = X[0], np.array([1, 2]), np.array([1, 6])
    for _ in range(3):
        assert model.run([x, good])[0].tobytes() == x[good].tobytes()
        with pytest.raises(opmill.OpError) as found:
            model.run([x, bad])
        with pytest.raises(opmill.OpError) as expected:
            one_by_one(model, [x, bad])
        assert str(found.value) == str(expected.value)
        assert str(found.value).startswith("node 1")
    (program,) = model._plans.values()
    assert len(segments(program.parts)) == 1


def test_shapes_that_do_not_fit_are_the_error_of_their_node():
    model = model_of("a = Neg(x)  b = MatMul(a, W)  y = Neg(b)")
    for _ in range(2):
        with pytest.raises(opmill.OpError, match=r"^node 1.*MatMul-13"):
            model.run([X[:, :5].copy()])
        check(model, X)
    (program,) = model._plans.values()
    assert len(segments(program.parts)) == 1


def test_chosen_outputs():
    model = model_of(GRAPHS["outputs that nodes read"])
    for _ in range(3):
        assert model.run([X], outputs=["z"])["z"].tobytes() == (-np.abs(X)).tobytes()
        assert model.run([X], outputs=["z", "y"])["y"].tobytes() == np.abs(X).tobytes()


def test_threads_run_one_segment_at_once():
    text = " ".join(
        f"a{k + 1} = MatMul(a{k}, W)  b{k + 1} = Tanh(a{k + 1})" for k in range(20)
    ).replace("a0", "x")
    model = model_of(f"{text}  y = Add(a20, b20)")
    inputs = [RANDOM.standard_normal((300, 6)).astype(np.float32) for _ in range(4)]
    expected = [one_by_one(model, [x])[0] for x in inputs]
    wrong = []

    def run(position):
        for _ in range(50):
            if model.run([inputs[position]])[0].tobytes() != expected[position].tobytes():
                wrong.append(position)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(inputs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_a_signal_ends_a_run_between_two_nodes():
    size, count = 300, 200
    names = ["x", *(f"a{k}" for k in range(count)), "y"]
    nodes = [helper.make_node("MatMul", [name, "W"], [after]) for name, after in pairwise(names)]
    value = helper.make_tensor_value_info("x", 1, [size, size])
    weights = numpy_helper.from_array(np.eye(size, dtype=np.float32), "W")
    output = helper.make_tensor_value_info("y", 1, [size, size])
    graph = helper.make_graph(nodes, "g", [value], [output], [weights])
    model = opmill.Model(
        helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 13)])
    )

    def stop(number, frame):
        raise KeyboardInterrupt

    def run_for_ever():
        while True:
            model.run([np.ones((size, size), np.float32)])

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            run_for_ever()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    result = model.run([np.ones((size, size), np.float32)])[0]
    np.testing.assert_array_equal(result, np.ones((size, size), np.float32))


def test_values_larger_than_what_a_thread_keeps():
    model = opmill.Model(
        parser.parse_model("""
        <ir_version: 8, opset_import: ["": 18]>
        g (float[1] x, int64[1] n) => (y) <int64[1] many = {20000000}> {
            a = Neg(x)
            b = Expand(a, many)
            c = Neg(b)
            y = ReduceMax <keepdims = 0> (c)
        }""")
    )
    given = [np.array([2], np.float32), np.array([1])]
    assert [model.run(given)[0].item() for _ in range(2)] == [2, 2]


ENTERED = """
<ir_version: 8, opset_import: ["": 18]>
g (float[n, m] x, float[n] unread, int64[1] d) => (y, z)
<int64[1] d = {-1}> { y = Neg(x)  a = Reshape(y, d)  z = Abs(a) }"""


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch):
    """A model that has run once, and the list of its later runs that took several calls."""
    model = opmill.Model(parser.parse_model(ENTERED))
    model.run({"x": X, "unread": X[:, 0].copy()})
    watched, run = [], opmill.Model._run

    def counted(*args):
        watched.append(args)
        return run(*args)

    monkeypatch.setattr(opmill.Model, "_run", counted)
    return model, watched


def test_later_runs_are_one_native_call_whose_results_are_the_callers(entered):
    model, others = entered
    unread = np.zeros(4, np.float32)
    given = {"unread": unread, "x": X}
    first = model.run(given)
    for again in (model.run(given), model.run([X, unread]), model.run((X, unread))):
        assert again.keys() == ("y", "z")
        assert not np.shares_memory(first["y"], again["y"])
        again["y"][...] = 5
    assert others == []
    assert np.array_equal(first["y"], -X)
    assert np.array_equal(first["z"], np.abs(X).reshape(-1))
    assert np.array_equal(model.run({"x": -X, "unread": unread})["y"], X)


def test_later_runs_are_checked(entered):
    model, others = entered
    short, unread = np.zeros(3, np.float32), np.zeros(4, np.float32)
    for given, words in (
        ({"x": X, "unread": short}, "input 'unread' has shape \\[3\\], expected 4 \\('n'\\)"),
        ({"x": X.astype(float), "unread": unread}, "input 'x' has type double, expected float"),
        ({"x": X}, "input 'unread' is missing"),
        ({"x": X, "other": unread}, "no input 'other'"),
        ([X], "number of inputs is 1, expected 2"),
        ({"x": X.tolist(), "unread": unread}, "input 'x' has type list"),
    ):
        with pytest.raises(opmill.FeedError, match=words):
            model.run(given)
    assert len(others) == 6


def test_later_runs_of_other_forms_and_choices(entered):
    model, others = entered
    unread = np.zeros(4, np.float32)
    given = {"x": X, "unread": unread}
    assert np.array_equal(model.run({**given, "d": np.array([24])})["y"], -X)
    assert np.array_equal(model.run({"x": X[::2], "unread": unread[::2]})["y"], -X[::2])
    assert np.array_equal(model.run({"x": X[::-1], "unread": unread})["y"], -X[::-1])
    assert np.array_equal(model.run(given, ["y"])["y"], -X)
    with opmill.use_backend("numpy"):
        assert np.array_equal(model.run(given)["y"], -X)
    with model.trace() as trace:
        model.run(given)
    assert len(trace.nodes) == 3
    assert len(others) == 6
    assert model.run(given, ["y"]).keys() == ("y",)
    assert len(others) == 6
