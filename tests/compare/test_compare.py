"""``opmill compare``: nodes that differ, crash or are skipped; reproductions; two models."""

from __future__ import annotations

import gc
import json
import shutil
import weakref
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import numpy_helper, parser

from opmill._compare.difference import difference_of, tolerance_of
from opmill._compare.shrink import shrunk
from opmill._compare.walk import Walk
from opmill_gen.cli.main import main

TEXT = """
<ir_version: 8, opset_import: ["": 13]>
net (float[2, 3, 4] x) => (float[4, 2, 3] y, float[n] z) {
    a = Neg(x)
    t = Transpose<perm = [2, 0, 1]>(a)
    y = Relu(t)
    f = Flatten<axis = 0>(a)
    s = Squeeze(f, zero)
    z = Slice(s, zero, two)
}"""
CONSTANTS = "<int64[1] zero = {0}, int64[1] two = {2}>"
MODEL = parser.parse_model(TEXT.replace("float[n] z) {", f"float[n] z) {CONSTANTS} {{"))
FAULTS = Path(__file__).parents[1] / "conformance" / "faulty_backend.py"


@pytest.fixture
def model(tmp_path, monkeypatch):
    shutil.copy(FAULTS, tmp_path)
    monkeypatch.chdir(tmp_path)
    onnx.save(MODEL, tmp_path / "model.onnx")
    return "model.onnx"


def opmill(*arguments, code=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("runtime", ["onnxruntime", "onnx.reference"])
def test_runtimes_that_agree(model, runtime):
    done = opmill("compare", model, "--with", runtime)
    assert "nodes: equal: 6" in done.stdout
    assert "output y: equal" in done.stdout
    assert "output z: equal" in done.stdout
    report = json.loads(opmill("compare", model, "--with", runtime, "--json").stdout)
    assert (report["ok"], report["with"], report["first"]) == (True, runtime, None)
    assert [one["operator"] for one in report["nodes"]] == [
        "Neg-13", "Transpose-13", "Relu-13", "Flatten-13", "Squeeze-13", "Slice-13",
    ]  # fmt: skip


def test_only_the_node_with_the_fault_differs_and_is_reproduced(model, tmp_path):
    arguments = ("compare", model, "--with", "faulty_backend:TransposeOrder", "--seed", 3)
    done = opmill(*arguments, "--write", "small", code=1)
    assert "nodes: differs: 1, equal: 5" in done.stdout
    assert "node 1: Transpose-13: differs: t: 22 of 24 elements differ" in done.stdout
    assert "first: node 1: Transpose-13" in done.stdout
    assert "  attribute perm = [2, 0, 1]" in done.stdout
    assert "faulty_backend:TransposeOrder computes " in done.stdout
    one = onnx.load("small/model.onnx")
    assert [node.op_type for node in one.graph.node] == ["Transpose"]
    data = tmp_path / "small" / "test_data_set_0"
    (given, expected) = (
        numpy_helper.to_array(onnx.load_tensor(data / f"{kind}_0.pb"))
        for kind in ("input", "output")
    )
    assert given.size == 4, "a transposition moves elements of two axes with two elements at least"
    np.testing.assert_array_equal(expected, given.transpose(2, 0, 1))
    again = ("compare", "small/model.onnx", "--input", data, "--with")
    opmill(*again, "faulty_backend:TransposeOrder", code=1)
    opmill(*again, "onnxruntime")


LOOP = """
<ir_version: 8, opset_import: ["": 15]>
g (float[2] x, bool c) => (float[2] y, float[m, 2] all) <int64 count = {3}> {
    k = Neg(x)
    y, all = Loop(count, c, k) <body = b (int64[1] i, bool go, float[2] v) => (bool go2, float[2] w, float[2] w2) {
        go2 = Identity(go)
        i0 = Squeeze(i)
        two = Constant<value_int = 2>()
        last = Equal(i0, two)
        r = If(last) <
            then_branch = t () => (float[2] p) { q = Mul(k, v) p = Sin(q) },
            else_branch = e () => (float[2] p) { p = Add(k, v) }
        >
        w = Identity(r)
        w2 = Identity(k)
    }>
}"""  # noqa: E501
CALLS = """
<ir_version: 8, opset_import: ["": 15, "own": 1]>
g (float[2] x) => (float[2] y) { k = Neg(x) y = own.Outer<turn = 1>(k, , k) }
<domain: "own", opset_import: ["": 15, "own": 1]>
Outer<turn>(a, none, b) => (d) { e = Add(a, b) d = own.Inner<axis: int = @turn>(e) }
<domain: "own", opset_import: ["": 15]>
Inner<axis>(a) => (s) { t = Cast<to: int = @axis>(a) s = Sin(t) }
"""


@pytest.mark.parametrize(
    ("text", "first", "inside"),
    [
        (LOOP, "node 1: Loop-13",
         "node 1 in then_branch of node 4 in iteration 2 of body of node 1: Sin-7: differs: p: "),
        (CALLS, "node 1: Outer", "node 2 in function 'Outer' of node 1: Sin-7: differs: "),
    ],
)  # fmt: skip
def test_the_node_inside_of_graphs_and_functions_is_found(model, text, first, inside):
    onnx.save(parser.parse_model(text), model)
    np.savez("c.npz", c=np.array(True))
    given = ("--input", "c.npz") if text == LOOP else ()
    arguments = ("compare", model, "--with", "faulty_backend:SinAsCos", *given)
    done = opmill(*arguments, "--write", "small", code=1)
    assert "nodes: differs: 1, equal: 1" in done.stdout
    assert f"first: {first}\n  inside: {inside}" in done.stdout
    assert "computes " in done.stdout, "the examples are those of Sin"
    assert " examples of Sin-7 otherwise" in done.stdout
    assert [node.op_type for node in onnx.load("small/model.onnx").graph.node] == ["Sin"]
    (found,) = Path("small/test_data_set_0").glob("input_*.pb")
    assert numpy_helper.to_array(onnx.load_tensor(found)).tolist() == [0]
    report = json.loads(opmill(*arguments, "--json", code=1).stdout)["first"]
    assert (report["inside"]["operator"], report["inside_complete"]) == ("Sin-7", True)
    assert opmill("compare", model, "--with", "onnx.reference", *given)


def test_a_graph_whose_nodes_agree_may_round_otherwise_and_no_more(model):
    onnx.save(parser.parse_model(LOOP), model)
    np.savez("c.npz", c=np.array(True))
    arguments = ("compare", model, "--input", "c.npz", "--with")
    done = opmill(*arguments, "faulty_backend:LoopsRound")
    assert "nodes: equal: 2" in done.stdout
    done = opmill(*arguments, "faulty_backend:LoopsDouble", code=1)
    assert "  inside: no node differs by itself; nodes compared: " in done.stdout


def test_a_runtime_computes_a_node_of_a_scan_otherwise(model):
    onnx.save(
        parser.parse_model("""
            <ir_version: 8, opset_import: ["": 13]>
            g (float[3, 1, 1, 4, 4] x) => (float[3, 1, 1, a, b] y)
            <float[8] box = {0, 0, 0, 0, 1, 1, 0.5, 0.5}, float[4] scales = {1, 1, 2, 2}> {
                y = Scan<num_scan_inputs = 1,
                         body = b (float[1, 1, 4, 4] e) => (float[1, 1, p, q] u) {
                    r = Relu(e)
                    u = Resize<coordinate_transformation_mode = "tf_crop_and_resize">(
                        r, box, scales)
                }>(x)
            }"""),
        model,
    )  # fmt: skip
    done = opmill("compare", model, "--with", "onnxruntime", code=1)
    assert "inside: node 1 in iteration 0 of body of node 0: Resize-13: differs: u: " in done.stdout
    assert "  open in ONNX: Which product of a size and a scale is meant" in done.stdout


def test_a_crash_is_a_difference(model):
    onnx.save(
        parser.parse_model(
            '<ir_version: 8, opset_import: ["": 13]> g (float[0] x) => (float[0] y) { y = Neg(x) }'
        ),
        model,
    )
    done = opmill("compare", model, "--with", "faulty_backend:Ends", code=1)
    assert "node 0: Neg-13: crashed: the process ended with exit code 9" in done.stdout


def test_refused_and_random_nodes_are_no_differences(model):
    onnx.save(
        parser.parse_model("""
            <ir_version: 8, opset_import: ["": 22]>
            g (bfloat16[2] x) => (bfloat16[2] y, float[3] r) <bool c = {1}> {
                r = RandomNormal<shape = [3]>()
                y = If(c) <
                    then_branch = a () => (bfloat16[2] p) { p = Cos(x) },
                    else_branch = b () => (bfloat16[2] p) { p = Sin(x) }
                >
            }"""),
        model,
    )
    np.savez("x.npz", none=np.zeros(1))
    done = opmill("compare", model, "--with", "onnxruntime")
    assert "node 0: RandomNormal-22: skipped: it draws random numbers" in done.stdout
    assert "node 1: If-21: refused: " in done.stdout
    assert "nodes: refused: 1, skipped: 1" in done.stdout


def test_the_erratum_of_a_difference_is_named(model):
    onnx.save(
        parser.parse_model("""
            <ir_version: 8, opset_import: ["": 13]>
            g (float[1, 1, 4, 4] x) => (float[a, b, c, d] y)
            <float[8] box = {0, 0, 0, 0, 1, 1, 0.5, 0.5}, float[4] scales = {1, 1, 2, 2}> {
                y = Resize<coordinate_transformation_mode = "tf_crop_and_resize">(x, box, scales)
            }"""),
        model,
    )
    done = opmill("compare", model, "--with", "onnxruntime", code=1)
    assert "y: expected shape [1, 1, 4, 4], got [1, 1, 8, 8]" in done.stdout
    assert "  open in ONNX: Which product of a size and a scale is meant is not stated." in (
        done.stdout
    )


def test_two_models_differ_at_the_first_value_that_changes(model):
    other = onnx.ModelProto()
    other.CopyFrom(MODEL)
    other.graph.node[1].attribute[0].ints[:] = [2, 1, 0]
    other.graph.node[5].input[2] = "zero"
    onnx.save(other, "other.onnx")
    done = opmill("compare", model, "--with", "other.onnx", code=1)
    assert "model.onnx with other.onnx" in done.stdout
    assert "node 1: Transpose-13: differs: t: expected shape [4, 2, 3], got [4, 3, 2]" in (
        done.stdout
    )
    assert "z: expected shape [2], got [0]" in done.stdout
    assert "nodes: differs: 3, equal: 3" in done.stdout
    done = opmill("compare", model, "--with", model)
    assert "nodes: equal: 6" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--with", "nothing"), "nothing is no target, expected one of opmill, "),
        (("--with", "model.onnx", "--write", "d"), "--write needs a runtime as TARGET"),
        (("--with", "onnxruntime", "--write", "."), ". is not empty, expected a new or an empty"),
        (("--with", "onnxruntime", "--input", "."), ". has no input_0.pb"),
        (("--with", "onnxruntime", "--dim", "n"), "'n' has no '=', expected NAME=VALUE"),
    ],
)
def test_a_mistake_is_one_message(model, arguments, words):
    done = opmill("compare", model, *arguments, code=2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_values_are_released_when_no_node_reads_them():
    lines = "\n".join(f"v{k + 1} = Neg(v{k})" for k in range(40))
    walk = Walk(
        parser.parse_model(
            '<ir_version: 8, opset_import: ["": 13]> '
            f"g (float[n] v0) => (float[n] v40) {{ {lines} }}"
        )
    )
    alive: list[weakref.ref] = []
    largest = 0
    gc.collect()
    gc.freeze()  # each collection below would walk the objects of all other tests
    for call in walk.calls({"v0": np.ones(4, np.float32)}):
        alive += [weakref.ref(value) for value in call.outputs.values()]
        del call
        gc.collect()
        largest = max(largest, sum(one() is not None for one in alive))
    assert len(alive) == 40
    assert largest <= 3


# Differences

NAN, INF = float("nan"), float("inf")


def array(*items, dtype=np.float32):
    return np.array(items, dtype)


@pytest.mark.parametrize(
    ("expected", "got", "tolerance"),
    [
        (array(1, NAN, INF, 0.0), array(1.0009, NAN, INF, -0.0), (1e-3, 0.0)),
        (array(2, dtype=np.float16), array(2.5, dtype=np.float16), (0.0, 0.5)),
        (array("a", dtype=object), array("a", dtype=object), None),
        ([array(1)], [array(1)], None),
        (None, None, None),
        (array(7, dtype=np.int64), array(8, dtype=np.int64), (0.0, 1.0)),
    ],
)
def test_values_that_agree(expected, got, tolerance):
    assert difference_of(expected, got, tolerance) is None


@pytest.mark.parametrize(
    ("expected", "got", "tolerance", "words"),
    [
        (array(1, 2, 8), array(1, 3, 10), (0.1, 0.0),
         "2 of 3 elements differ beyond rtol 0.1, atol 0; the largest difference, 2, is at [2]: "
         "expected 8.0, got 10.0"),
        (array(NAN), array(1), (0.1, 0.1), "the largest difference, inf, is at [0]"),
        (array(INF), array(-INF), (0.1, 0.1), "expected inf, got -inf"),
        (array(1), array(NAN), (0.1, 0.1), "expected 1.0, got nan"),
        (array(2**62, dtype=np.int64), array(2**62 + 1, dtype=np.int64), None,
         "the largest difference, 1, is at [0]"),
        (np.array([True]), np.array([False]), None, "the first at [0]"),
        (array(1), array(1, dtype=np.float64), None, "expected type float, got double"),
        (array(1), array(1).reshape(1, 1), None, "expected shape [1], got [1, 1]"),
        ([array(1)], [array(1), array(1)], None, "expected a sequence of 1, got a sequence of 2"),
        ([array(1)], [array(2)], None, "tensor 0: 1 of 1 elements differ"),
        (None, array(1), None, "expected an empty optional, got an array of float"),
        (array("a", dtype=object), array("b", dtype=object), None, "expected 'a', got 'b'"),
    ],
)  # fmt: skip
def test_differences_in_words(expected, got, tolerance, words):
    found = difference_of(expected, got, tolerance)
    assert found is not None
    assert words in found.text


def test_sums_may_round_in_any_order():
    step = 2.0**-23
    assert tolerance_of({"float": (1e-5, 1e-5)}, array(0, 1024)) == (1e-3, 16 * step * 1024)
    assert tolerance_of({"float": (1e-5, 1e-5)}, array(0.5)) == (1e-3, 1e-5)
    assert tolerance_of({}, array(1024)) is None
    assert tolerance_of(None, array(3, dtype=np.int64)) is None


def test_shrinking_reduces_what_does_not_matter():
    start = {"a": np.full((6, 7), 2.5, np.float32), "b": np.full((7, 3), 2.5, np.float32)}

    def differs(given):
        a, b = given["a"], given["b"]
        return a.shape[1] == b.shape[0] and a.shape[1] >= 4 and bool((b != 0).all())

    found = shrunk(start, differs)
    assert found["a"].shape == (1, 4)
    assert found["b"].shape == (4, 1)
    assert found["a"].tolist() == [[0, 0, 0, 0]]
    assert found["b"].tolist() == [[1], [1], [1], [1]]
