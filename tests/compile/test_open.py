"""``opmill.compile`` of models whose shapes are open: what it plans, and what a run refuses."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner

import opmill
from c_library import BUILD, FOLDER, compiler, library
from compiled_networks import Source, proto
from open_networks import OPEN
from opmill._compile.bounds import sizes_to_try
from opmill._compile.compile import prepared
from opmill_gen.cli.main import main

needs_compiler = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
BATCH = proto(OPEN["open_batch"][0])
GUARD = 0xA5


def test_every_size_is_tried_where_there_are_few():
    assert sizes_to_try({"n": 3}, 10) == [{"n": 3}, {"n": 2}, {"n": 1}, {"n": 0}]
    two = sizes_to_try({"a": 1, "b": 2}, 1)
    assert two[0] == {"a": 1, "b": 2}
    assert {(one["a"], one["b"]) for one in two} == {(a, b) for a in (0, 1) for b in (0, 1, 2)}
    assert sizes_to_try({}, 10) == [{}]


def test_sizes_around_powers_of_two_are_tried_where_there_are_many():
    tried = sizes_to_try({"n": 1000}, 400)
    assert tried[0] == {"n": 1000}
    assert {0, 1, 2, 3, 255, 256, 257, 333, 500, 999} <= {one["n"] for one in tried}
    assert len(tried) < 100
    many = sizes_to_try({"a": 500, "b": 500, "c": 500}, 400)
    assert many[0] == {"a": 500, "b": 500, "c": 500}
    assert {"a": 500, "b": 0, "c": 500} in many
    assert {"a": 1, "b": 500, "c": 1} in many
    assert len(many) < 200


def test_memory_is_planned_for_the_size_that_needs_most():
    # The first value is largest where n is smallest, the second for n = 5.
    nodes = (
        "s = Shape(x) d = Sub(ten, s) a = ConstantOfShape(d) "
        "e = Mul(s, d) b = ConstantOfShape(e) c = Neg(b) y = ReduceSum<keepdims=0>(c, zero)"
    )
    source = Source("float[n] x => float a, float y", nodes,
                    {"ten": np.array([10]), "zero": np.array([0])})  # fmt: skip
    net = prepared(proto(source), maxima={"n": 10}).net
    shapes = [net.values[call.outputs[0]].shape for call in net.calls]
    assert shapes == [(1,), (1,), (10,), (1,), (25,), (25,), ()]
    assert net.values[net.calls[2].outputs[0]].bytes == 40


def test_all_reasons_are_reported_at_once():
    nodes = (
        "i = NonZero(x) c = ReduceSum<keepdims=0>(i) t, a = TopK(x, k) "
        "q = Reshape(x, twelve) w = If(b)<then_branch = t () => (float[?] p) { p = Relu(x) }, "
        "else_branch = f () => (float[?] p) { p = Neg(x) }> y = Relu(q)"
    )
    source = Source("float[n] x, int64[1] k, bool b => float y, float t, float w", nodes,
                    {"twelve": np.array([3, 4])})  # fmt: skip
    with pytest.raises(opmill.CompileError) as caught:
        prepared(proto(source), maxima={"n": 11})
    assert caught.value.reasons == (
        "node 2: TopK-11: value of K is unknown, expected a tensor with data; --max k=N states its "
        "maximum",
        "node 3: Reshape-21: shape has 12 elements, expected 11 (the size of data)",
        "node 4: If-21 reads a value whose shape is open, expected a fixed one",
    )


def test_maxima_that_cannot_be_used():
    source = Source("bool[2] a, float[n] x => bool b, float y", "b = Not(a) y = Relu(x)")
    maxima = {"n": (2, 3), "b": 1, "a": 1}
    with pytest.raises(opmill.CompileError) as caught:
        prepared(proto(source), maxima=maxima, shapes={"x": [2]})
    assert caught.value.reasons == (
        "dim 'n' has a list of maxima, expected a number",
        "input 'a' has type bool, expected numbers for a maximum",
        "node 0: value 'b' has type bool, expected numbers for a maximum",
    )


def test_a_value_within_a_call_has_no_maximum():
    source = Source("float[1,1,4] x => float y", "h = Conv(x, w) y = Relu(h)", {"w": "float 2,1,3"})
    with pytest.raises(opmill.CompileError, match="value 'h' is computed by no node of its own"):
        prepared(proto(source), maxima={"h": 3})


def test_loops_read_values_with_maxima():
    nodes = (
        "yes = Constant<value: tensor = bool {1}>() best, at = TopK(x, k) "
        "last, y = Loop(two, yes, k)<body = b (int64 i, bool ci, int64[1] ki) => "
        "(bool co, int64[1] ko, float[2] p) { co = Identity(ci) ko = Add(ki, k) p = Relu(x) }>"
    )
    source = Source("int64[1] k, float[2] x => float best, int64 last, float y", nodes,
                    {"two": np.int64(2)})  # fmt: skip
    found = prepared(proto(source), maxima={"k": 2})
    assert found.cases[0].outputs[1].tolist() == [6]
    nodes = nodes.replace("p = Relu(x)", "p, q = TopK(x, k)")
    with pytest.raises(opmill.CompileError) as caught:
        prepared(proto(source._replace(nodes=nodes)), maxima={"k": 2})
    assert caught.value.reasons == (
        "node 2 in body of node 2: TopK-11: value of K is unknown, expected a tensor with data",
    )


def test_the_maxima_of_elements_need_not_be_valid_together():
    source, maxima = OPEN["stated_shape"]
    net = prepared(proto(source), maxima=maxima).net
    assert {12, 6, 1} <= {sizes["shape[0]"] for sizes in net.valid_sizes}
    values = [net.values[port.number] for port in net.outputs]
    assert [(value.shape, value.bytes) for value in values] == [((12, 12), 48), ((12,), 48)]
    words = r"node 0: Reshape-21: shape has 144 elements, expected 12 \(the size of data\)"
    with pytest.raises(opmill.CompileError, match=words):
        prepared(proto(source), maxima={"shape": 12})
    words = "node 0: Reshape-21: shape"
    with pytest.raises(opmill.CompileError, match=words):
        prepared(proto(source), maxima={"shape": (5, 0)})


def test_the_maximum_of_a_computed_value_replaces_the_derived_one():
    nodes = "i = NonZero(x) s = Shape<start=1>(i) k = Sub(seven, s) y = ConstantOfShape(k)"
    source = proto(Source("float[7] x => float y", nodes, {"seven": np.array([7])}))
    sizes = []
    for maxima in ({}, {"k": 7}):
        net = prepared(source, maxima=maxima, inputs={"x": np.ones(7, np.float32)}).net
        sizes.append(net.values[net.outputs[0].number].bytes)
    assert sizes == [0, 28]


def test_inputs_of_the_test_that_need_more_than_planned():
    source = proto(Source("float[5] x, float k => float y, int64 at",
                          "n = Cast<to=7>(k) m = Reshape(n, one) y, at = TopK(x, m)",
                          {"one": np.array([1])}))  # fmt: skip
    words = "node 2.*: TopK-11 computes 16 bytes for the inputs of the test, expected at most 12"
    with pytest.raises(opmill.ModelError, match=words):
        prepared(source, maxima={"m": 3}, inputs={"k": np.float32(4)})
    assert prepared(source, maxima={"m": 3}, inputs={"k": np.float32(3.9)}).cases
    words = r"K\[0\] is -7, expected .*; choose the inputs of the test with --inputs"
    minus = proto(Source("float[5] x, float k => float y, int64 at",
                         "n = Cast<to=7>(k) m = Sub(n, hundred) y, at = TopK(x, m)",
                         {"hundred": np.array([7])}))  # fmt: skip
    with pytest.raises(opmill.ModelError, match=words):
        prepared(minus, maxima={"m": 3})


def test_ranks_do_not_depend_on_sizes():
    source = Source("float[n,3] x => float y", "y = Squeeze(x)")
    with pytest.raises(opmill.CompileError) as caught:
        prepared(proto(source), maxima={"n": 2})
    assert caught.value.reasons == ("node 0: the rank of an output depends on sizes that are open",)


def test_given_inputs_choose_the_sizes():
    x = np.ones((4, 16), np.float32)
    found = prepared(BATCH, maxima={"n": 9}, inputs={"x": x})
    assert [case.sizes for case in found.cases] == [{"n": 4}]
    assert found.cases[0].outputs[0].shape == (4, 10)
    words = r"input 'x' has shape \[10, 16\], expected \[9, 16\]"
    with pytest.raises(opmill.FeedError, match=words):
        prepared(BATCH, maxima={"n": 9}, inputs={"x": np.ones((10, 16), np.float32)})


def test_the_header_has_the_maxima():
    header = prepared(BATCH, prefix="net", maxima={"n": 9}).project().files["net.h"].decode()
    for line in (
        "#define NET_X_COUNT 144",
        "#define NET_Y_COUNT 90",
        "#define NET_N_MAX 9",
        "#define NET_Y_RANK 2",
        "#define NET_Y_MAX_SHAPE {9, 10}",
        "    int64_t n; /* the size n: 0 to 9 */",
    ):
        assert f"{line}\n" in header
    assert "int64_t *y_shape;" in header


def test_a_fixed_network_has_no_rules():
    files = prepared(BATCH, prefix="net", dims={"n": 9}).project().files
    assert "TOO_LARGE" not in files["net.h"].decode()
    assert not any("/operators/" in path for path in files)
    opened = prepared(BATCH, prefix="net", maxima={"n": 9}).project().files
    assert "opmill/src/operators/gemm_13.c" in opened


def shared_library(folder):
    """A network's functions, without the library's sources."""
    library()
    (shared,) = BUILD.glob("libopmill-*.so")
    command = [compiler(), "-std=c11", "-shared", "-fPIC", "-w", f"-I{FOLDER}/include",
               f"-I{FOLDER}/src", "net.c", "net_weights.c", str(shared), f"-Wl,-rpath,{BUILD}",
               "-o", "net.so"]  # fmt: skip
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "net.so"))


def guarded(bytes_):
    """Memory with a border on both sides, and the aligned address between them."""
    memory = np.full(bytes_ + 256, GUARD, np.uint8)
    start = 64 + -memory.ctypes.data % 64
    return memory, start


def assert_guarded(memory, start, bytes_):
    assert (memory[:start] == GUARD).all()
    assert (memory[start + bytes_ :] == GUARD).all()


@needs_compiler
def test_sizes_and_shapes_of_a_run(tmp_path):
    report = opmill.compile(BATCH, tmp_path, prefix="net", maxima={"n": 9})
    net = shared_library(tmp_path)
    model = opmill.Model(BATCH)
    memory, start = guarded(report["arena"])
    arena = ctypes.c_void_p(memory.ctypes.data + start)
    y, first = guarded(9 * 10 * 4)
    shape = np.full(3, -1, np.int64)
    for n, code, check in ((9, 0, 0), (0, 0, 0), (1, 0, 0), (5, 0, 0), (10, 16, 6), (-1, 16, 6)):
        x = np.random.default_rng(n + 1).standard_normal((abs(n), 16)).astype(np.float32)
        x = np.ascontiguousarray(x) if n else np.zeros((1, 16), np.float32)
        inputs = (ctypes.c_int64 * 2)(x.ctypes.data, n)
        outputs = (ctypes.c_void_p * 2)(y.ctypes.data + first, shape.ctypes.data)
        before = y.copy()
        assert net.net_check(inputs, outputs, arena, ctypes.c_size_t(report["arena"])) == check
        assert net.net_run(inputs, outputs, arena) == code
        assert_guarded(memory, start, report["arena"])
        if code:
            assert (y == before).all()
            continue
        with opmill.use_instruction_set("plain"):
            expected = model.run([x[:n]])[0]
        assert shape.tolist() == [n, 10, -1]
        assert y[first : first + n * 40].tobytes() == expected.tobytes()
        assert_guarded(y, first, n * 40)
        y[:] = GUARD
    nothing = (ctypes.c_void_p * 2)(y.ctypes.data + first, None)
    assert net.net_run((ctypes.c_int64 * 2)(x.ctypes.data, 1), nothing, arena) == 0


@needs_compiler
def test_a_run_that_needs_more_memory_than_planned_is_refused(tmp_path):
    source, maxima = OPEN["open_values"]
    report = opmill.compile(proto(source), tmp_path, prefix="net", maxima=maxima)
    net = shared_library(tmp_path)
    memory, start = guarded(report["arena"])
    arena = ctypes.c_void_p(memory.ctypes.data + start)
    x = np.arange(20, dtype=np.float32).reshape(2, 10)
    places = [guarded(size) for size in (2 * 7 * 4, 2 * 7 * 8, 11 * 8, 2 * 7 * 4)]
    shapes = [np.zeros(2, np.int64) for _ in places]
    for k, last, code in ((7, 11, 0), (8, 11, 16), (7, 12, 16), (7, 2**40, 16), (11, 3, 3)):
        key, limit = np.array([k]), np.array(last)
        inputs = (ctypes.c_void_p * 3)(x.ctypes.data, key.ctypes.data, limit.ctypes.data)
        addresses = [one.ctypes.data + first for one, first in places]
        outputs = (ctypes.c_void_p * 8)(*addresses, *(one.ctypes.data for one in shapes))
        assert net.net_run(inputs, outputs, arena) == code, (k, last)
        assert_guarded(memory, start, report["arena"])
        for (one, first), size in zip(places, (56, 112, 88, 56), strict=True):
            assert_guarded(one, first, size)


@needs_compiler
def test_a_computed_value_above_its_maximum_is_refused(tmp_path):
    nodes = "n = Cast<to=7>(k) m = Reshape(n, one) y, at = TopK(x, m)"
    source = proto(Source("float[5] x, float k => float y, int64 at", nodes,
                          {"one": np.array([1])}))  # fmt: skip
    report = opmill.compile(source, tmp_path, prefix="net", maxima={"m": 3},
                            inputs={"k": np.float32(2)})  # fmt: skip
    net = shared_library(tmp_path)
    memory, start = guarded(report["arena"])
    arena = ctypes.c_void_p(memory.ctypes.data + start)
    x = np.float32([3, 1, 4, 1, 5])
    places = [guarded(size) for size in (12, 24)]
    shapes = [np.full(1, -1, np.int64) for _ in places]
    addresses = [one.ctypes.data + first for one, first in places]
    outputs = (ctypes.c_void_p * 4)(*addresses, *(one.ctypes.data for one in shapes))
    for k, code in ((3, 0), (4, 16), (6, 3), (-1, 3), (1, 0), (0, 0)):
        limit = np.array(k, np.float32)
        inputs = (ctypes.c_void_p * 2)(x.ctypes.data, limit.ctypes.data)
        assert net.net_run(inputs, outputs, arena) == code, k
        assert_guarded(memory, start, report["arena"])
        for (one, first), size in zip(places, (12, 24), strict=True):
            assert_guarded(one, first, size)
        if code == 0:
            (found, first), (at, second) = places
            assert [shape.tolist() for shape in shapes] == [[k], [k]]
            assert found[first : first + 4 * k].view(np.float32).tolist() == [5, 4, 3][:k]
            assert at[second : second + 8 * k].view(np.int64).tolist() == [4, 2, 0][:k]


def test_the_command(tmp_path):
    (tmp_path / "net.onnx").write_bytes(BATCH.SerializeToString())
    arguments = ["compile", str(tmp_path / "net.onnx"), "-o", str(tmp_path / "out")]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code != 0
    assert "set it with --dim n=N or --max n=N" in ran.output
    ran = CliRunner().invoke(main, [*arguments, "--max", "n=9"])
    assert ran.exit_code == 0, ran.output
    assert "#define NET_N_MAX 9\n" in (tmp_path / "out" / "net.h").read_text()
    source, _ = OPEN["stated_parts"]
    (tmp_path / "net.onnx").write_bytes(proto(source).SerializeToString())
    ran = CliRunner().invoke(main, [*arguments, "--max", "sizes=4,6"])
    assert ran.exit_code == 0, ran.output
    assert "#define NET_Y_MAX_SHAPE {4}\n" in (tmp_path / "out" / "net.h").read_text()
    ran = CliRunner().invoke(main, [*arguments, "--max", "sizes=4,"])
    assert "--max sizes: '' is no size, expected a number" in ran.output
