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
        "node 2: TopK-11: value of K is unknown, expected a tensor with data",
        "node 3: Reshape-21: shape has 12 elements, expected 11 (the size of data)",
        "node 4: If-21 reads a value whose shape is open, expected a fixed one",
    )


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


def test_the_command(tmp_path):
    (tmp_path / "net.onnx").write_bytes(BATCH.SerializeToString())
    arguments = ["compile", str(tmp_path / "net.onnx"), "-o", str(tmp_path / "out")]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code != 0
    assert "set it with --dim n=N or --max n=N" in ran.output
    ran = CliRunner().invoke(main, [*arguments, "--max", "n=9"])
    assert ran.exit_code == 0, ran.output
    assert "#define NET_N_MAX 9\n" in (tmp_path / "out" / "net.h").read_text()
