"""``opmill check``: each fault with its location, all at once, and the scoreboard's record."""

from __future__ import annotations

import json

import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper, parser

from opmill._check.check import check
from opmill_gen.cli.main import main

HEAD = '<ir_version: 8, opset_import: ["": 13]>'


def graph(body: str, inputs: str = "float[2, 3] x", outputs: str = "float[a, b] y") -> str:
    return f"{HEAD} g ({inputs}) => ({outputs}) {body}"


def opmill(*arguments, code=0):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == code, done.output
    return done


VALID = graph("<int64[2] s = {3, -1}> { r = Reshape(x, s) y = Relu(r) }")

FAULTS = [
    ("unsorted-node", "graph.node[0]", "reads 't' of node 1, expected nodes in the order of",
     graph("{ y = Relu(t) t = Neg(x) }")),
    ("cycle", "graph", "which is computed from the node's own outputs",
     graph("{ y = Add(x, t) t = Neg(y) }")),
    ("undefined-input", "graph.node[0]", "reads 'w', which is no input, no initializer and",
     graph("{ y = Add(x, w) }")),
    ("undefined-output", "graph.output[0]", "output 'y' is computed by no node",
     graph("{ z = Neg(x) }")),
    ("duplicate-name", "graph.node[1]", "an output is named 'y', expected a name that no other",
     graph("{ y = Neg(x) y = Abs(x) }")),
    ("shadowed-name", "graph.node[0].attribute[0].g.node[0]", "'x' as a value of a graph around",
     graph("""{ y = If(c) <then_branch = t () => (float[2, 3] x) { x = Neg(d) },
                             else_branch = e () => (float[2, 3] q) { q = Abs(d) }> }""",
           "float[2, 3] x, float[2, 3] d, bool c")),
    ("unknown-attribute", "graph.node[0]", "Relu-13: attribute 'alpha' is unknown, expected none",
     graph("{ y = Relu<alpha = 1.0>(x) }")),
    ("attribute-kind", "graph.node[0]", "Flatten-13: attribute 'axis' has kind FLOAT, expected INT",
     graph("{ y = Flatten<axis = 1.0>(x) }")),
    ("missing-attribute", "graph.node[0]", "Concat-13: attribute 'axis' is absent",
     graph("{ y = Concat(x, x) }")),
    ("number-of-inputs", "graph.node[0]", "Relu-13: number of inputs is 2, expected 1",
     graph("{ y = Relu(x, x) }")),
    ("number-of-outputs", "graph.node[0]", "Relu-13: number of outputs is 2, expected 0 to 1",
     graph("{ y, z = Relu(x) }")),
    ("missing-input", "graph.node[0]", "Add-13: input 'A' is absent, expected a value",
     graph("{ y = Add(, x) }")),
    ("type", "graph.node[0]", "Add-13: B has type int64, expected float (the type of A)",
     graph("<int64[1] w = {1}> { y = Add(x, w) }")),
    ("type", "graph.node[0]", "Not-1: X has type float, expected bool",
     graph("{ y = Not(x) }", "float x")),
    ("shape", "graph.node[0]", "MatMul-13: B.shape[0] is 2, expected 3 (A.shape[1])",
     graph("{ y = MatMul(x, x) }")),
    ("shape", "graph.node[2]", "Reshape-13: ",
     graph("<int64[1] k = {5}> { s = Shape(x) t = Concat<axis = 0>(s, k) y = Reshape(x, t) }")),
    ("declared-shape", "graph.output[0]", "'y' is declared with 4 at axis 1, but has shape [2, 3]",
     graph("{ y = Relu(x) }", outputs="float[2, 4] y")),
    ("declared-type", "graph.output[0]", "'y' is declared as tensor(double), but is tensor(float)",
     graph("{ y = Relu(x) }", outputs="double[2, 3] y")),
    ("not-in-opset", "graph.node[0]", "Gelu is not in opset 13 of ai.onnx; its first version is",
     graph("{ y = Gelu(x) }")),
    ("not-in-opset", "graph.node[0]", "ai.onnx has no operator 'Rleu'",
     graph("{ y = Rleu(x) }")),
    ("deprecated", "graph.node[0]", "Upsample is deprecated since opset 10 of ai.onnx",
     graph("<float[2] s = {1, 2}> { y = Upsample(x, s) }")),
    ("domain-not-imported", "graph.node[0]", "Own is of the domain com.own, expected an import",
     graph("{ y = com.own.Own(x) }")),
    ("initializer", "graph.initializer[0]", "initializer 'w' has 8 bytes in raw_data, expected 12",
     "lie"),
]  # fmt: skip


def model_of(text: str) -> onnx.ModelProto:
    if text != "lie":
        return parser.parse_model(text)
    model = parser.parse_model(graph("<float[3] w = {1, 2, 3}> { y = Add(x, w) }"))
    model.graph.initializer[0].CopyFrom(
        TensorProto(name="w", dims=[3], data_type=TensorProto.FLOAT, raw_data=bytes(8))
    )
    return model


@pytest.mark.parametrize(("rule", "part", "words", "text"), FAULTS)
def test_each_fault_is_found_and_located(rule, part, words, text):
    findings = [one for one in check(model_of(text)).findings if one.rule != "onnx-checker"]
    assert [(one.severity, one.rule, one.part) for one in findings] == [("error", rule, part)]
    assert words in str(findings[0])


def test_valid_model(tmp_path):
    onnx.save(parser.parse_model(VALID), tmp_path / "m.onnx")
    done = opmill("check", tmp_path / "m.onnx")
    assert done.stdout == (
        "m.onnx: opsets: ai.onnx 13, nodes: 2, errors: 0, warnings: 0, notes: 0\n"
    )
    report = json.loads(opmill("check", tmp_path / "m.onnx", "--json").stdout)
    assert (report["ok"], report["nodes"], report["findings"]) == (True, 2, [])


def test_all_faults_are_listed_with_those_of_the_checker_of_onnx(tmp_path):
    text = graph("{ t = Relu<alpha = 1.0>(x) u = Gelu(x) y = MatMul(x, x) }")
    onnx.save(parser.parse_model(text), tmp_path / "m.onnx")
    done = opmill("check", tmp_path / "m.onnx", code=1)
    assert [line.rpartition(" ")[2] for line in done.stdout.splitlines()[:-1]] == [
        "[unknown-attribute]", "[not-in-opset]", "[shape]", "[onnx-checker]",
    ]  # fmt: skip
    report = json.loads(opmill("check", tmp_path / "m.onnx", "--json", code=1).stdout)
    assert (report["error"], report["ok"]) == (4, False)
    assert report["findings"][0] == {
        "severity": "error", "rule": "unknown-attribute", "part": "graph.node[0]",
        "node": "node 0", "operator": "Relu-13",
        "text": "attribute 'alpha' is unknown, expected none",
    }  # fmt: skip


def test_open_dims_are_assumed_and_faults_that_depend_on_them_are_none(tmp_path):
    fits = graph("{ y = MatMul(x, x) }", "float[n, 3] x")
    assert [one for one in check(parser.parse_model(fits)).findings if one.rule == "shape"] == []
    found = check(parser.parse_model(fits), {"n": 2}).findings[0]
    assert (found.severity, found.rule) == ("error", "shape")
    never = graph("{ r = Concat<axis = 0>(x, x) y = MatMul(r, r) }", "float[n, 130] x")
    (found,) = [one for one in check(parser.parse_model(never)).findings if one.rule == "shape"]
    assert found.severity == "warning"
    assert "MatMul-13: B.shape[0] is 2, expected 130 (A.shape[1])" in str(found)
    assert "(with open dims of 1; 2, 64, 130 fail too)" in found.text


def test_nodes_of_functions_are_checked_with_their_own_opsets():
    body = [
        helper.make_node("Relu", ["a"], ["t"], alpha=1.0),
        helper.make_node("Squeeze", ["t"], ["b"], axes=[0]),
    ]
    own = helper.make_function(
        "com.own", "Twice", ["a"], ["b"], body, [helper.make_opsetid("", 11)]
    )
    model = parser.parse_model(graph("{ y = com.own.Twice<k = 1>(x, x) }"))
    model.functions.append(own)
    model.opset_import.append(helper.make_opsetid("com.own", 1))
    findings = [one for one in check(model).findings if one.rule != "onnx-checker"]
    assert [(one.rule, one.part) for one in findings] == [
        ("number-of-inputs", "graph.node[0]"),
        ("unknown-attribute", "graph.node[0]"),
        ("unknown-attribute", "functions[0].node[0]"),
    ]
    assert findings[2].node == "node 0 in function 'Twice'"
    assert findings[2].operator == "Relu-6"


def test_the_record_of_the_scoreboard(tmp_path):
    text = graph(
        '<float[8] b = {0, 0, 0, 0, 1, 1, 1, 1}, float[4] s = {1, 1, 2, 2}>'
        ' { y = Resize<mode = "cubic">(x, b, s) }',
        "float[1, 1, 4, 4] x",
        "float[1, 1, 8, 8] y",
    ).replace("13]", "11]")  # fmt: skip
    onnx.save(parser.parse_model(text), tmp_path / "m.onnx")
    done = opmill("check", tmp_path / "m.onnx", "--for", "onnxruntime")
    assert "warning: node 0 (graph.node[0]): Resize-11: onnxruntime 1.31.1 fails " in done.stdout
    assert "'region outside'" in done.stdout
    opmill("check", tmp_path / "m.onnx", "--for", "onnxruntime", "--strict", code=1)
    done = opmill("check", tmp_path / "m.onnx", "--for", "openvino@1.0")
    assert "note: the record is of openvino 2026" in done.stdout
    assert "Resize-11: openvino 2026" in done.stdout
    done = opmill("check", tmp_path / "m.onnx", "--for", "ort", code=2)
    assert "--for: ort is not in the record, expected one of " in done.stderr


def test_a_file_that_is_no_model(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"\xff\xff no model")
    done = opmill("check", tmp_path / "m.onnx", code=2)
    assert "is no ONNX model" in done.stderr
    assert "Traceback" not in done.output


def test_contents_of_constants_are_read_for_shapes():
    model = parser.parse_model(VALID)
    model.graph.initializer[0].CopyFrom(
        numpy_helper.from_array(numpy_helper.to_array(model.graph.initializer[0]) * 0 + 4, "s")
    )
    rules = [one.rule for one in check(model).findings]
    assert "shape" in rules


def test_findings_are_written_as_sarif(tmp_path):
    path, log = tmp_path / "model.onnx", tmp_path / "findings.sarif"
    onnx.save(parser.parse_model(graph("{ a = Relu<alpha = 1.0>(x) y = Neg(a) }")), path)
    opmill("check", path, "--sarif", log, code=1)
    written = json.loads(log.read_text(encoding="utf-8"))
    assert (written["version"], len(written["runs"])) == ("2.1.0", 1)
    (run,) = written["runs"]
    assert run["tool"]["driver"]["name"] == "opmill"
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert rules == {result["ruleId"] for result in run["results"]}
    (first,) = [one for one in run["results"] if one["ruleId"] == "unknown-attribute"]
    assert first["level"] == "error"
    assert "Relu-13: attribute 'alpha' is unknown" in first["message"]["text"]
    (location,) = first["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == path.as_posix()
    assert location["logicalLocations"] == [{"fullyQualifiedName": "graph.node[0]"}]
