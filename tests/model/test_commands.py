"""``opmill run`` and ``opmill inspect``."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, parser, save

from opmill_gen.cli.main import main
from unsupported import unsupported

TEXT = """
<ir_version: 8, opset_import: ["": 13]>
g (float[n, 3] x, int64[2] shape) => (float[a, b] y, float[n, 3] z) <float[3] w = {1, 2, 3}> {
    z = Add(x, w)
    y = Reshape(z, shape)
}"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.onnx"
    save(parser.parse_model(TEXT), path)
    return path


def opmill(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_a_model_runs_on_a_file_and_writes_a_file(model, tmp_path):
    given = {"x": np.ones((2, 3), np.float32), "shape": np.array([3, 2])}
    np.savez(tmp_path / "x.npz", **given)
    done = opmill("run", model, "--input", tmp_path / "x.npz", "--output", tmp_path / "y.npz")
    assert done.exit_code == 0, done.output
    assert "y: float32[3, 2] min 2 mean 3 max 4" in done.stdout
    with np.load(tmp_path / "y.npz") as outputs:
        assert outputs["z"].tolist() == [[2, 3, 4]] * 2
        assert outputs["y"].tolist() == [[2, 3], [4, 2], [3, 4]]


def test_random_inputs_follow_the_seed(model, tmp_path):
    np.savez(tmp_path / "x.npz", shape=np.array([12, 1]))
    contents = []
    for seed in (0, 0, 1):
        out = tmp_path / "y.npz"
        done = opmill(
            "run", model, "--input", tmp_path / "x.npz", "--dim", "n=4", "--seed", seed,
            "--output", out,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        assert "x: random float32[4, 3]" in done.stderr
        contents.append(out.read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_chosen_outputs(model):
    done = opmill("run", model, "--only", "z", "--shape", "x=2,3")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("z: float32[2, 3] ")
    assert "y:" not in done.stdout


def test_traces(model, tmp_path):
    np.savez(tmp_path / "x.npz", shape=np.array([1, 3]))
    done = opmill("run", model, "--input", tmp_path / "x.npz", "--trace")
    assert done.exit_code == 0, done.output
    assert "Add-13" in done.stdout
    assert "nodes: 2, ms: " in done.stdout
    done = opmill("run", model, "--input", tmp_path / "x.npz", "--trace-json")
    document = json.loads(done.stdout)
    assert [node["operator"] for node in document["nodes"]] == ["Add-13", "Reshape-13"]
    assert document["nodes"][0]["outputs"] == [[1, 3]]


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("'n4' has no '=', expected NAME=VALUE", ["--dim", "n4"]),
        ("--dim n: 'many' is no size, expected a number", ["--dim", "n=many"]),
        ("--dim has 'm', expected names of dims: n\n", ["--dim", "m=4"]),
        ("--shape has 'n', expected inputs: shape, x\n", ["--shape", "n=2"]),
        ("the model has no output 'w'; it has 'y', 'z'", ["--only", "w"]),
        ("input 'x' has shape [1, 4], expected 3 at axis 1", ["--shape", "x=1,4"]),
    ],
)
def test_what_cannot_be_run_is_refused(words, arguments, model):
    done = opmill("run", model, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr


def test_bounds(model):
    arguments = ("run", model, "--shape", "x=100,3", "--only", "z", "--max-bytes")
    assert opmill(*arguments, 1200).exit_code == 0
    refused = opmill(*arguments, 1199)
    assert refused.exit_code == 2
    assert "node 0: Add-13 does not fit into memory: 1200 bytes beside 0 in use" in refused.stderr
    for command in ("run", "inspect"):
        refused = opmill(command, model, "--max-nodes", 1)
        assert (refused.exit_code, "more than 1 nodes" in refused.stderr) == (2, True)


def test_files_that_are_no_inputs_are_refused(model, tmp_path):
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 no archive")
    done = opmill("run", model, "--input", tmp_path / "x.npz")
    assert (done.exit_code, "is no .npz file of arrays" in done.stderr) == (2, True)
    np.savez(tmp_path / "x.npz", w=np.ones(3))
    done = opmill("run", model, "--input", tmp_path / "x.npz")
    assert (done.exit_code, "expected inputs of the model: shape, x" in done.stderr) == (2, True)
    (tmp_path / "m.onnx").write_bytes(b"\xff\xff no model")
    done = opmill("run", tmp_path / "m.onnx")
    assert (done.exit_code, "is no ONNX model" in done.stderr) == (2, True)


def test_inspect_tells_what_a_model_is_made_of(model):
    done = opmill("inspect", model)
    assert done.exit_code == 0, done.output
    for line in (
        "opsets: ai.onnx 13",
        "input: x tensor(float)[n, 3]",
        "output: z tensor(float)[n, 3]",
        "nodes: 2, parameters: 3 (12 B)",
    ):
        assert line in done.stdout.splitlines()
    document = json.loads(opmill("inspect", model, "--json").stdout)
    assert document["supported"] is True
    assert [(use["operator"], use["version"], use["nodes"]) for use in document["operators"]] == [
        ("Add", 13, 1),
        ("Reshape", 13, 1),
    ]


def test_inspect_and_run_optimize(tmp_path):
    text = """<ir_version: 8, opset_import: ["": 13]> g (float[2] x) => (float[2] y, float[2] z) {
        s = Sigmoid (x) y = Mul (s, x) h = HardSigmoid (x) z = Mul (h, x) }"""
    path = tmp_path / "m.onnx"
    save(parser.parse_model(text), path)
    lines = opmill("inspect", path, "--optimize").stdout.splitlines()
    assert "rewritten: Swish-24: node 0 (Sigmoid-13), node 1 (Mul-13)" in lines
    assert [line for line in lines if line.startswith("unrewritten: node 3: Mul-13 is not part of")]
    document = json.loads(opmill("inspect", path, "--optimize", "--json").stdout)
    assert document["rewritten"][0]["result"] == "Swish-24"
    assert document["unrewritten"][0]["node"] == "node 3"
    traced = json.loads(opmill("run", path, "--optimize", "--trace-json").stdout)
    assert "Swish-24" in {node["operator"] for node in traced["nodes"]}


def test_inspect_tells_what_is_lacking(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")  # no line of a piped table is folded to this width
    (lacking,) = unsupported(monkeypatch, 1)
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node(lacking.operator, ["x"], ["t"]),
        helper.make_node("Own", ["t"], ["y"], domain="com.own"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, [1])],
        [value("y", TensorProto.FLOAT, [1])],
    )
    imports = [helper.make_opsetid("", 13), helper.make_opsetid("com.own", 3)]
    save(helper.make_model(graph, opset_imports=imports, ir_version=8), tmp_path / "m.onnx")
    done = opmill("inspect", tmp_path / "m.onnx")
    assert done.exit_code == 1
    assert "not supported (node 0)" in done.stdout
    assert "Own-3" in done.stdout
    refused = opmill("run", tmp_path / "m.onnx")
    assert refused.exit_code == 2
    assert f"node 0 needs {lacking.operator}-{lacking.at(13)} of ai.onnx" in refused.stderr
    assert "node 1 needs Own-3 of com.own (opset 3): not supported yet" in refused.stderr


def test_quantized_layers_run_in_integers_where_asked(tmp_path):
    text = """
    <ir_version: 8, opset_import: ["": 13]>
    g (uint8[2, 2] a) => (uint8[2, 2] y, float[2, 2] t)
    <float s = {0.5}, uint8 z = {128}, int8[2, 2] b = {1, 2, 3, 4}, int8 b_z = {0}> {
        af = DequantizeLinear(a, s, z)
        bf = DequantizeLinear(b, s, b_z)
        product = MatMul(af, bf)
        y = QuantizeLinear(product, s, z)
        t = MatMul(af, af)
    }"""
    path = tmp_path / "model.onnx"
    save(parser.parse_model(text), path)
    operators = {}
    for flags in ((), ("--fuse-qdq",)):
        done = opmill("run", path, "--trace-json", *flags)
        assert done.exit_code == 0, done.output
        operators[flags] = {node["operator"] for node in json.loads(done.stdout)["nodes"]}
        unfused = "node 4: MatMul-13 is not fused: B is not constant"
        assert (unfused in done.stderr) == bool(flags)
    assert "QLinearMatMul-10" in operators["--fuse-qdq",]
    assert "QLinearMatMul-10" not in operators[()]
