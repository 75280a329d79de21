"""``opmill.compile``: what it refuses, what it writes into a folder, and what callers may pass."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import parser

import opmill
from c_library import BUILD, FOLDER, compiler, library
from compiled_networks import NETWORKS, Source, names, proto
from opmill._compile.compile import prepared
from opmill._compile.memory import Buffer, lower_bound, plan_arena
from opmill._compile.names import identifiers
from opmill._compile.verify import Observed, compare
from opmill_gen.cli.main import main

needs_compiler = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
MLP = proto(NETWORKS["mlp"])


def files_of(folder):
    return sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())


def test_all_reasons_are_reported_at_once_and_nothing_is_written(tmp_path):
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]>
        g (float[n, 3] x, float[?] y, string[2] s, bool c) => (int64 b, float r, float e) {
            b = NonZero(x)
            r = RandomNormal<shape=[2]>()
            e = If(c)<then_branch = t () => (float p) { p = RandomNormal<shape=[1]>() },
                      else_branch = f () => (float[?] q) { v = Unique(x) q = Relu(v) }>
        }"""
    )
    with pytest.raises(opmill.CompileError) as caught:
        opmill.compile(model, tmp_path / "net")
    assert caught.value.reasons == (
        "input 'x': the size of 'n' (axis 0) is open, set it with --dim n=N or --max n=N",
        "input 'y': the size of axis 0 is open, set the shape with --shape",
        "input 's' has type string, expected numbers of whole bytes",
        "node 1: RandomNormal-1 depends on random numbers, expected a deterministic node",
    )
    assert not (tmp_path / "net").exists()
    sizes = {"dims": {"n": 2}, "shapes": {"y": [3], "z": [1]}}
    with pytest.raises(opmill.CompileError) as caught:
        opmill.compile(model, tmp_path / "net", **sizes)
    assert caught.value.reasons == (
        "the model has no input 'z'",
        "input 's' has type string, expected numbers of whole bytes",
        "node 1: RandomNormal-1 depends on random numbers, expected a deterministic node",
        "node 0 in then_branch of node 2: RandomNormal-1 depends on random numbers, expected a "
        "deterministic node",
        "node 0 in else_branch of node 2: Unique-11 has an output whose shape depends on data",
    )


ZIP = "ai.onnx.ml.ZipMap<classlabels_int64s=[4, 5, 6]>"


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        (f"p, q = Split<axis=0>(x) z = {ZIP}(q)", "node 1: ZipMap-1 has a map, expected a model "
         "that ends before it: with output 1 of node 0 (Split-13) as its own"),
        (f"z = {ZIP}(x)", "node 0: ZipMap-1 has a map, expected a model of tensors"),
    ],
)  # fmt: skip
def test_the_output_before_maps_is_named(tmp_path, nodes, reason):
    model = parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 13, "ai.onnx.ml": 1]>
        g (float[2, 3] x) => (seq(map(int64, float)) z) {{ {nodes} }}"""
    )
    with pytest.raises(opmill.CompileError) as caught:
        opmill.compile(model, tmp_path / "net")
    assert caught.value.reasons == (reason,)
    assert not (tmp_path / "net").exists()


LOOP = (
    "y = Loop(n, , x)<body = g (int64 i, bool c, float[?] p) => (bool d, float[?] q) "
    "{ d = Identity(c) q = Concat<axis=0>(p, p) }>"
)
STACK = (
    "e, y = Loop(n, , x)<body = g (int64 i, bool c, float[2] p) => (bool d, float[2] q, float[2] r)"
    " { d = Identity(c) q = Neg(p) r = Abs(p) }>"
)
BRANCH = (
    "y = If(c)<then_branch = t () => (float[?] p) { p = Abs(x) }, "
    "else_branch = f () => (float[?] p) { p = Concat<axis=0>(x, x) }>"
)


@pytest.mark.parametrize(
    ("signature", "nodes", "reason"),
    [
        ("float[2] x, int64 n", LOOP, "node 0: Loop-21 hands on value 0 as float[4], expected "
         "float[2] (its initial type)"),
        ("float[2] x, int64 n", STACK, "node 0: Loop-21 stacks output 1 in a number of iterations "
         "that depends on data, expected a constant"),
        ("float[2] x, bool c", BRANCH, "node 0: If-21 computes output 0 as float[2] in one branch "
         "and float[4] in the other, expected one type and shape"),
    ],
)  # fmt: skip
def test_branches_and_loops_whose_shapes_depend_on_data(tmp_path, signature, nodes, reason):
    with pytest.raises(opmill.CompileError) as caught:
        opmill.compile(proto(Source(f"{signature} => float[?] y", nodes)), tmp_path)
    assert caught.value.reasons == (reason,)


def test_the_error_of_a_node_is_a_reason(tmp_path):
    model = proto(Source("float[2,3] x, float[2,3] y => float z", "z = MatMul(x, y)"))
    words = r"node 0: MatMul-13: B\.shape\[0\] is 2, expected 3 \(A\.shape\[1\]\)"
    with pytest.raises(opmill.CompileError, match=words):
        opmill.compile(model, tmp_path)
    assert files_of(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prefix": "int"}, "prefix is 'int', expected a C identifier"),
        ({"prefix": "a b"}, "prefix is 'a b', expected a C identifier"),
        ({"prefix": "opmill_x"}, "prefix is 'opmill_x', expected a C identifier"),
        ({"isa": "sse9"}, "isa is 'sse9', expected 'native' or one of: "),
        ({"isa": "native", "compact": True}, "isa is 'native', expected 'plain' for compact"),
        ({"dims": {"n": 1}}, "the model has no dim 'n', expected one of: none"),
        ({"maxima": {"n": 1}}, "the model has no dim and no value 'n', expected a value or one"),
        ({"maxima": {"w1": 1}}, "value 'w1' is a constant, expected none with a maximum"),
        ({"maxima": {"c": (2, -1)}}, r"the maximum of 'c\[1\]' is -1, expected at least 0"),
        ({"maxima": {"c": (2, 1)}}, "value 'c' has 10 elements and 2 maxima, expected one maximum"),
        ({"maxima": {"n": -1}}, "the maximum of 'n' is -1, expected at least 0"),
        ({"maxima": {"n": 1}, "dims": {"n": 1}}, "'n' has a size and a maximum, expected one of"),
        ({"shapes": {"x": [2, 16]}}, r"input 'x' has shape \[2, 16\], expected tensor\(float\)"),
        ({"inputs": {"q": 1}}, "the model has no input 'q', expected: 'x'"),
        ({"inputs": {"x": np.zeros((1, 16))}}, "input 'x' has type double, expected float"),
    ],
)
def test_choices_that_are_not_valid(tmp_path, options, words):
    with pytest.raises(opmill.Error, match=words):
        opmill.compile(MLP, tmp_path, **options)
    assert files_of(tmp_path) == []


def test_files_of_others_are_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    report = opmill.compile(MLP, tmp_path, prefix="one")
    assert report["files"].keys() | {"notes.txt", "report.json"} == set(files_of(tmp_path))
    opmill.compile(MLP, tmp_path, prefix="two")  # takes the place of the first
    assert {"two.c", "two.h", "notes.txt"} <= set(files_of(tmp_path))
    assert not (tmp_path / "one.c").exists()
    (tmp_path / "two.c").write_text("changed")
    before = files_of(tmp_path)
    with pytest.raises(opmill.Error, match=r"has two\.c, which opmill compile has not written"):
        opmill.compile(MLP, tmp_path, prefix="two")
    assert (tmp_path / "two.c").read_text() == "changed"
    assert files_of(tmp_path) == before
    opmill.compile(MLP, tmp_path, prefix="three")
    assert (tmp_path / "two.c").read_text() == "changed"


def test_links_and_reports_of_others_are_refused(tmp_path):
    (tmp_path / "target").write_text("mine")
    (tmp_path / "net.c").symlink_to("target")
    (tmp_path / "report.json").write_text(json.dumps({"files": {"../x": "", "net.c": ""}}))
    with pytest.raises(opmill.Error, match=r"has net\.c, which"):
        opmill.compile(MLP, tmp_path)
    assert files_of(tmp_path) == ["net.c", "report.json", "target"]
    (tmp_path / "net.c").unlink()
    (tmp_path / "report.json").write_text("{}")
    with pytest.raises(opmill.Error, match=r"has report\.json, which"):
        opmill.compile(MLP, tmp_path)


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        opmill.compile(MLP, tmp_path / name)
    for path in files_of(tmp_path / "a"):
        assert (tmp_path / "a" / path).read_bytes() == (tmp_path / "b" / path).read_bytes()


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("weights_file", [False, True])
def test_the_project_builds_by_itself(tmp_path, weights_file):
    model = proto(NETWORKS["qlinear"])
    report = opmill.compile(model, tmp_path, weights_file=weights_file, check=True)
    assert ("weights.bin" in report["files"]) is weights_file
    sources = [str(one) for one in tmp_path.rglob("*.c")]
    assert not any("families/qlinear_conv/rules" in one or "/operators/" in one for one in sources)


def test_compact_kernels_take_the_calls_that_they_compute():
    def kernels(signature, nodes, **weights):
        model = proto(Source(signature, nodes, weights))
        return [call.variant for call in prepared(model, compact=True).net.calls]

    weights = {"w": "float 2,3,1,1", "v": "float 2,3,1,1,1"}
    assert kernels("float[1,3,4,4] x => float y", "y = Conv(x, w)", w=weights["w"]) == ["compact"]
    five = kernels("float[1,3,4,4,4] x => float y", "y = Conv(x, v)", v=weights["v"])
    assert "compact" not in five
    assert "compact" not in kernels("double[1,3] x => double y", "y = Softmax(x)")
    assert "compact" not in kernels("float[2,3] x => float y", "y = Softmax<axis=0>(x)")
    means = "float[2,3] x => float y", "y = ReduceMean(x, a)"
    assert kernels(*means, a=np.array([1])) == ["compact"]
    assert "compact" not in kernels(*means, a=np.array([0]))
    report = prepared(MLP, compact=True).project().report
    assert report["sources"] < prepared(MLP).project().report["sources"]


def test_compact_kernels_of_moves_and_activations_take_the_calls_that_they_compute():
    def kernels(signature, nodes, **weights):
        model = proto(Source(signature, nodes, weights))
        return [call.variant for call in prepared(model, compact=True).net.calls]

    calls = prepared(proto(NETWORKS["activations"]), compact=True).net.calls
    assert {call.variant for call in calls} == {"compact"}
    assert "compact" not in kernels("int32[2] x => int32 y", "y = Clip(x, w)", w=np.int32(0))
    assert "compact" not in kernels("double[2] x => double y", "y = HardSwish(x)")
    assert "compact" not in kernels("complex128[2,3] x => complex128 y", "y = Transpose(x)")
    nine = f"float[{'1,' * 7}2,3] x, float[2,1] v => float y"
    assert "compact" not in kernels(nine, "y = Add(x, v)")
    assert kernels(nine.replace("1,1,", "1,", 1), "y = Add(x, v)") == ["compact"]
    labels = prepared(proto(NETWORKS["labels"]), compact=True).net.calls
    assert {call.variant for call in labels} == {"compact"}
    assert "compact" not in kernels("int32[2] x => int64 y", "y = ArgMax(x)")
    assert "compact" not in kernels("int32[2] x => double y", "y = Cast<to=11>(x)")
    assert "compact" not in kernels(
        "float[2,3] x => float y", "y = ReduceSum(x, a)", a=np.array([0])
    )
    training = "y, m, v = BatchNormalization<training_mode=1>(x, s, s, s, s)"
    assert "compact" not in kernels("float[2,3] x => float y", training, s=np.ones(3, np.float32))


def test_calls_with_equal_plans_share_them():
    nodes = "a = Conv<pads=[1,1]>(x, w) b = Conv<pads=[1,1]>(a, w) y = Conv(b, w)"
    model = proto(Source("float[1,2,5] x => float y", nodes, {"w": "float 2,2,3"}))
    text = prepared(model, compact=True).project().files["net.c"].decode()
    assert text.count("static const opmill_conv_compact_plan") == 2
    assert [text.count(f"&plan_{k}, NULL") for k in range(3)] == [2, 1, 0]


def test_equal_constants_are_one_array():
    weights = {name: np.eye(2, dtype=np.float32) for name in "vw"}
    model = proto(Source("float[2,2] x => float y", "a = MatMul(x, v) y = MatMul(a, w)", weights))
    assert len(prepared(model).net.constants) == 1


def test_direct_kernels_need_no_description_of_tensors():
    nodes = "a = Gemm(x, w) b = Gemm(a, v) y = Softmax(b)"
    source = Source("float[1,2] x => float y", nodes, {"w": "float 2,3", "v": "float 3,4"})
    text = prepared(proto(source), compact=True).project().files["net.c"].decode()
    assert "opmill_tensor" not in text
    assert "context" not in text
    assert text.count("opmill_gemm_compact(") == 2


def test_dense_layers_between_quantizers_keep_their_weights_in_integers():
    net = prepared(proto(NETWORKS["dense_layers"]), compact=True, fuse_qdq=True).net
    called = [call.entry["function"] for call in net.calls]
    product = "opmill_qlinear_matmul_compact_int8_int8"
    assert [one for one in called if "qlinear" in one] == [
        *["opmill_qlinear_conv_compact_int8_int8"] * 2,
        product,
    ]
    assert all(array.size < 16 for array in net.constants if array.dtype != np.int8)


def test_compact_kernels_of_integers_take_the_calls_that_they_compute():
    def kernels(signature, nodes, **weights):
        model = proto(Source(signature, nodes, weights))
        return [call.variant for call in prepared(model, compact=True).net.calls]

    scale = {"s": np.float32(0.1), "h": np.float16(0.1), "t": np.ones((2, 3), np.float32)}
    quantized = "float[2,9] x => uint8 y", "y = QuantizeLinear(x, s)"
    assert kernels(*quantized, **scale) == ["compact"]
    blocks = "float[2,9] x => uint8 y", "y = QuantizeLinear<block_size=3>(x, t)"
    assert "compact" not in kernels(*blocks, **scale)
    halves = "int8[2,9] x => float16 y", "y = DequantizeLinear(x, h)"
    assert "compact" not in kernels(*halves, **scale)
    signature = "uint8[1,2,5] x, float r => uint8 y"
    convolution = "y = QLinearConv(x, {0}, z, w, s, z, s, z)".format
    integers = {"s": np.float32(0.1), "z": np.uint8(3), "w": "uint8 2,2,3"}
    assert kernels(signature, convolution("s"), **integers) == ["compact"]
    assert "compact" not in kernels(signature, convolution("r"), **integers)
    pool = "uint8[1,2,4,4] x => uint8 y"
    assert kernels(pool, "y = MaxPool<kernel_shape=[2,2]>(x)") == ["compact"]
    indices = kernels(f"{pool}, int64 i", "y, i = MaxPool<kernel_shape=[2,2]>(x)")
    assert "compact" not in indices
    means = "float[1,2,16,16] x => float y"
    assert kernels(means, "y = AveragePool<kernel_shape=[8,16]>(x)") == ["compact"]
    assert "compact" not in kernels(means, "y = AveragePool<kernel_shape=[9,16]>(x)")


def test_nodes_between_quantizers_are_one_call():
    def calls(nodes, outputs="uint8 y"):
        weights = {"s": np.float32(0.1), "t": np.float32(0.2), "z": np.uint8(9)}
        source = Source(f"uint8[1,2,4,4] x => {outputs}", nodes, weights)
        net = prepared(proto(source), compact=True).net
        return [f"{call.label}, {call.behind}".strip(", ") for call in net.calls]

    read = "d = DequantizeLinear(x, s, z)"
    mean = f"{read} g = GlobalAveragePool(d) y = QuantizeLinear(g, s, z)"
    assert calls(mean) == ["GlobalAveragePool-1, QuantizeLinear-21"]
    assert calls(mean, "uint8 y, float d") == [
        "DequantizeLinear-21",
        "GlobalAveragePool-1",
        "QuantizeLinear-21",
    ]
    unary = f"{read} a = Tanh(d) b = Relu(a) y = QuantizeLinear(b, t, z)"
    assert calls(unary) == ["QuantizeLinear-21, DequantizeLinear-21, Tanh-13, Relu-14"]
    same = f"{read} a = Flatten(d) q = QuantizeLinear(a, s, z) y = Transpose(q)"
    assert calls(same) == ["Transpose-21"]
    other = f"{read} a = Mul(d, d) y = QuantizeLinear(a, s, z)"
    assert calls(other) == ["DequantizeLinear-21", "Mul-14", "QuantizeLinear-21"]
    added = f"{read} a = Add(d, d) b = Relu(a) y = QuantizeLinear(b, s, z)"
    assert calls(added) == ["Add-14, Relu-14, QuantizeLinear-21"]


@needs_compiler
@pytest.mark.skipif(os.environ.get("CC", "gcc") != "gcc", reason="needs gcc")
def test_frames_of_compact_kernels_have_at_most_512_bytes(tmp_path):
    sources = sorted((FOLDER / "src" / "families").glob("*/compact*.c"))
    assert len(sources) > 10
    command = ["gcc", "-std=c11", "-Os", "-DOPMILL_STANDARD_C", "-fstack-usage", "-c",
               f"-I{FOLDER}/include", f"-I{FOLDER}/src"]  # fmt: skip
    for source in sources:
        target = tmp_path / f"{source.parent.name}_{source.stem}.o"
        subprocess.run([*command, str(source), "-o", str(target)], check=True)
        for line in target.with_suffix(".su").read_text().splitlines():
            name, size, _ = line.split("\t")
            assert int(size) <= 512, name


def test_the_first_node_that_differs_is_named():
    found = prepared(MLP)
    right = [
        Observed(k, j, np.ascontiguousarray(array).tobytes())
        for k, arrays in enumerate(found.expected[:-1])
        for j, array in enumerate(arrays)
    ]
    compare(found.net, found.expected, right)
    wrong = bytearray(right[2].content)
    wrong[4] ^= 1
    words = r"node 2: Gemm-13 differs from opmill\.Model in 1 of 10 elements of output 0"
    with pytest.raises(opmill.ModelError, match=words):
        compare(found.net, found.expected, [*right[:2], Observed(2, 0, bytes(wrong)), *right[3:]])
    with pytest.raises(opmill.ModelError, match="node 2: Gemm-13 is not computed"):
        compare(found.net, found.expected, right[:2])


@needs_compiler
def test_a_caller_is_checked(tmp_path):
    opmill.compile(MLP, tmp_path, prefix="net")
    library()
    (shared,) = BUILD.glob("libopmill-*.so")
    command = [compiler(), "-std=c11", "-shared", "-fPIC", "-w", f"-I{FOLDER}/include",
               f"-I{FOLDER}/src", "net.c", "net_weights.c", str(shared), f"-Wl,-rpath,{BUILD}",
               "-o", "net.so"]  # fmt: skip
    subprocess.run(command, cwd=tmp_path, check=True)
    net = ctypes.CDLL(str(tmp_path / "net.so"))
    size = prepared(MLP).project().report["arena"]
    memory = np.zeros(size + 128, np.uint8)
    start = memory.ctypes.data + -memory.ctypes.data % 64
    x, y = np.ones((1, 16), np.float32), np.zeros((1, 10), np.float32)
    inputs = (ctypes.c_void_p * 1)(x.ctypes.data)
    outputs = (ctypes.c_void_p * 1)(y.ctypes.data)
    none = (ctypes.c_void_p * 1)()
    arena = ctypes.c_void_p(start)
    bytes_ = ctypes.c_size_t(size)
    assert net.net_check(inputs, outputs, arena, bytes_) == 0
    assert net.net_check(none, outputs, arena, bytes_) == 1
    assert net.net_check(inputs, none, arena, bytes_) == 1
    assert net.net_check(inputs, outputs, None, bytes_) == 1
    assert net.net_check(inputs, outputs, arena, ctypes.c_size_t(size - 1)) == 2
    assert net.net_check(inputs, outputs, ctypes.c_void_p(start + 1), bytes_) == 3
    assert net.net_run(inputs, outputs, arena) == 0
    with opmill.use_instruction_set("plain"):
        assert y.tobytes() == opmill.Model(MLP).run([x])[0].tobytes()


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_the_header_is_cpp_too(tmp_path):
    opmill.compile(names(), tmp_path, prefix="net")
    (tmp_path / "a.cc").write_text('#include "net.h"\nint main() { return sizeof(net_inputs); }\n')
    command = ["c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "a.cc"]
    subprocess.run(command, cwd=tmp_path, check=True)


def test_identifiers():
    texts = ["x", "X", "int", "1st", "", "a-b", "a b", "size_t", "EOF", "x_2", "__x", "é"]
    expected = ["x", "X_2", "int_", "n1st", "n", "a_b", "a_b_2", "size_t_", "EOF_", "x_2_2", "x_3",
                "n_2"]  # fmt: skip
    assert identifiers(texts) == expected


def test_arenas_reuse_memory():
    chain = [Buffer(100, k, k + 1) for k in range(6)]
    assert plan_arena(chain) == lower_bound(chain, 7) == 256
    # In order of first use, the small buffer would split the memory of the large ones.
    split = [Buffer(64, 0, 3), Buffer(640, 0, 1), Buffer(64, 1, 4), Buffer(704, 2, 4)]
    assert plan_arena(split) == lower_bound(split, 5)
    assert plan_arena([]) == 0
    for one in split:
        for other in split:
            apart = one.offset + one.size <= other.offset or other.offset + other.size <= one.offset
            assert one is other or apart or not one.meets(other)


def test_the_command(tmp_path):
    model, given = tmp_path / "my net-2.onnx", tmp_path / "x.npz"
    model.write_bytes(MLP.SerializeToString())
    np.savez(given, x=np.ones((1, 16), np.float32))
    folder = tmp_path / "out"
    arguments = ["compile", str(model), "-o", str(folder), "--inputs", str(given)]
    ran = CliRunner().invoke(main, arguments)
    assert ran.exit_code == 0, ran.output
    assert ran.output.splitlines()[1] == "weights: 3496 bytes, arena: 256 bytes (lower bound 256)"
    assert (folder / "my_net_2.h").exists()
    assert "runs the network on given inputs" in (folder / "test.c").read_text()
    ran = CliRunner().invoke(main, [*arguments, "--json"])
    assert json.loads(ran.output)["arena"] == 256
    ran = CliRunner().invoke(main, [*arguments, "--dim", "n=2"])
    assert ran.exit_code == 2
    assert "the model has no dim 'n', expected one of: none" in ran.output
