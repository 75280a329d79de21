"""Models that contradict themselves: refused in words, where a run would hide it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from onnx import ModelProto, TensorProto, helper, parser, save

import opmill
from opmill_gen.cli.main import main

X = np.arange(6, dtype=np.float32)


def model_of(nodes, *, inputs="float[6] x, bool c, int64 n", outputs="float[m] y", more=""):
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["": 17]> g ({inputs}) => ({outputs}) {more} {{ {nodes} }}'
    )


def refused(model, words, error=opmill.ModelError):
    with pytest.raises(error) as caught:
        opmill.Model(model)
    assert str(caught.value) == words


# Functions


def calling():
    return parser.parse_model("""
    <ir_version: 9, opset_import: ["": 17, "own": 1]>
    g (float[6] x) => (float[n] y) { y = own.F <a = 1.0> (x) }
    <opset_import: ["": 17], domain: "own">
    F <a: float = 3.0> (v) => (w) { k = Constant <value_float: float = @a> () w = Mul(v, k) }""")


def test_what_a_function_or_its_call_lists_twice_is_refused():
    assert opmill.Model(calling()).run([X])[0].tolist() == X.tolist()
    attribute = helper.make_attribute("a", 2.0)
    model = calling()
    model.graph.node[0].attribute.append(attribute)
    refused(model, "node 0: attribute 'a' is given twice")
    model = calling()
    model.functions[0].attribute_proto.append(attribute)
    refused(model, "the function 'F' has the attribute 'a' twice")
    model = calling()
    model.functions[0].attribute.append("a")
    refused(model, "the function 'F' has the attribute 'a' twice")
    model = calling()
    del model.functions[0].attribute_proto[:]
    model.functions[0].attribute.extend(["a", "a"])
    refused(model, "the function 'F' has the attribute 'a' twice")
    model = calling()
    model.functions[0].output.append("w")
    refused(model, "the function 'F' has the output 'w' twice")
    model = calling()
    model.functions[0].output.append("v")
    model.graph.node[0].output.append("y")
    refused(model, "node 0: 'y' is there already; values have one origin")


def test_a_function_s_output_has_a_name():
    model = calling()
    model.functions[0].output[0] = ""
    refused(model, "node 0: output '' of the function 'F' is made by no node")


# Types of subgraphs

IF = (
    "y = If <then_branch = t () => ({then}[m] r) {{ {a} }}, "
    "else_branch = e () => ({other}[m] s) {{ {b} }}> (c)"
)
LOOP = (
    "y = Loop <body = b ({i} i, {go} go, {v}[6] v) => ({stop} stop, {w}[6] w) {{ {nodes} }}> "
    "(n, c, x)"
)


def test_a_branch_is_of_its_declared_type():
    fits = IF.format(then="float", other="float", a="r = Abs(x)", b="s = Neg(x)")
    for condition, expected in ((True, X), (False, -X)):
        feeds = {"x": X, "c": np.array(condition), "n": np.array(1)}
        assert opmill.Model(model_of(fits)).run(feeds)[0].tolist() == expected.tolist()
    differs = IF.format(then="int64", other="float", a="r = Abs(x)", b="s = Neg(x)")
    refused(
        model_of(differs),
        "output 'r' in then_branch of node 0 is declared as tensor(int64), but is tensor(float)",
    )


def test_branches_are_of_the_same_types():
    nodes = IF.format(then="float", other="int64", a="r = Abs(x)", b="s = Cast <to = 7> (x)")
    words = (
        "node 0 of ai.onnx: If-16: output 0 of else_branch has type tensor(int64), expected "
        "tensor(float) (that of then_branch)"
    )
    refused(model_of(nodes), words, opmill.TypeConstraintError)
    undeclared = model_of(nodes)
    for attribute in undeclared.graph.node[0].attribute:
        attribute.g.output[0].ClearField("type")
    refused(undeclared, words, opmill.TypeConstraintError)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (None, {}),
        ("input 0 of body has type tensor(int32), expected tensor(int64)", {"i": "int32"}),
        (
            "input 1 of body has type tensor(float), expected tensor(bool)",
            {"go": "float", "nodes": "stop = Cast <to = 9> (go) w = Add(v, v)"},
        ),
        (
            "output 0 of body has type tensor(int64), expected tensor(bool)",
            {"stop": "int64", "nodes": "stop = Identity(i) w = Add(v, v)"},
        ),
        (
            "input 2 of body has type tensor(double), expected tensor(float) (that of the node's "
            "input)",
            {"v": "double", "w": "double"},
        ),
        (
            "output 1 of body has type tensor(double), expected tensor(float) (that of its input)",
            {"w": "double", "nodes": "stop = Identity(go) w = Cast <to = 11> (v)"},
        ),
    ],
)
def test_what_a_loop_hands_on_is_of_one_type(words, changes):
    types = {"i": "int64", "go": "bool", "v": "float", "stop": "bool", "w": "float"}
    nodes = {"nodes": "stop = Identity(go) w = Add(v, v)"}
    model = model_of(LOOP.format(**{**types, **nodes, **changes}))
    if words is None:
        found = opmill.Model(model).run([X, np.array(True), np.array(2)])[0]
        assert found.tolist() == (4 * X).tolist()
    else:
        words = f"node 0 of ai.onnx: Loop-16: {words}"
        refused(model, words, opmill.TypeConstraintError)


@pytest.mark.parametrize(
    ("words", "state", "element", "nodes"),
    [
        (None, "float", "float", "t = Add(s, e) o = Neg(e)"),
        (
            "input 1 of body has type tensor(double), expected tensor(float) (that of the node's "
            "input)",
            "float",
            "double",
            "t = Identity(s) o = Neg(e)",
        ),
        (
            "output 0 of body has type tensor(int64), expected tensor(float) (that of its input)",
            "float",
            "float",
            "t = Cast <to = 7> (s) o = Neg(e)",
        ),
    ],
)
def test_what_a_scan_hands_on_is_of_one_type(words, state, element, nodes):
    model = model_of(
        f"y, z = Scan <num_scan_inputs = 1, body = b ({state} s, {element} e) => (t, o) "
        f"{{ {nodes} }}> (start, x)".replace("(t, o)", f"({state} t, {element} o)"),
        inputs="float start, float[6] x",
        outputs="float y",
    )
    for output in model.graph.node[0].attribute[1].g.output:
        output.ClearField("type")
    if words is None:
        found = opmill.Model(model).run([np.array(1, np.float32), X])[0]
        assert found.tolist() == 16
    else:
        refused(model, f"node 0 of ai.onnx: Scan-16: {words}", opmill.TypeConstraintError)


@pytest.mark.parametrize("backend", opmill.backends())
@pytest.mark.parametrize(
    ("words", "node", "start"),
    [
        ("Loop-16: output 1 of body has type int64, expected float", "w = Cast <to = 7> (v)", X),
        ("Loop-16: output 1 of body has type double, expected float", "w = Cast <to = 11> (x)", X),
        (
            "Loop-16: output 1 of body has type sequence of float, expected float",
            "w = SequenceConstruct(v)",
            X,
        ),
        (
            "Loop-16: output 1 of body has type sequence of int64, expected sequence of float",
            "k = Cast <to = 7> (x) w = SequenceConstruct(k)",
            [X],
        ),
    ],
)
def test_what_a_loop_of_undeclared_types_hands_on_is_of_one_type(words, node, start, backend):
    first, state = ("q = SequenceConstruct(x)", "q") if isinstance(start, list) else ("", "x")
    model = model_of(
        f"{first} l = Loop <body = b (int64 i, bool go, v) => (bool stop, w) "
        f"{{ stop = Identity(go) {node} }}> (n, c, {state}) y = Identity(x)",
    )
    model.graph.output[0].name = "l"
    model.graph.output[0].ClearField("type")
    with opmill.use_backend(backend):
        loaded = opmill.Model(model)
        with pytest.raises(opmill.TypeConstraintError) as caught:
            loaded.run([X, np.array(True), np.array(1)])
    assert str(caught.value).endswith(f": {words} (that of its input)")


def test_what_a_scan_of_undeclared_types_hands_on_is_of_one_type():
    model = model_of(
        "y, z = Scan <num_scan_inputs = 1, body = b (s, float e) => (t, float o) "
        "{ t = Cast <to = 1> (s) o = Neg(e) }> (start, x)",
        inputs="int64 start, float[6] x",
        outputs="float y",
    )
    loaded = opmill.Model(model)
    with pytest.raises(opmill.TypeConstraintError) as caught:
        loaded.run([np.array(1), X])
    words = "Scan-16: output 0 of body has type float, expected int64 (that of its input)"
    assert str(caught.value).endswith(words)


def test_the_body_of_a_sequence_map_receives_the_tensors():
    nodes = (
        "s = SplitToSequence <keepdims = 1> (x) "
        "t = SequenceMap <body = b (double[1] v) => (double[1] w) { w = Neg(v) }> (s) "
        "y = ConcatFromSequence <axis = 0> (t)"
    )
    words = (
        "node 1 of ai.onnx: SequenceMap-17: input 0 of body has type tensor(double), expected "
        "tensor(float) (that of the node's input)"
    )
    refused(model_of(nodes), words, opmill.TypeConstraintError)
    found = opmill.Model(model_of(nodes.replace("double", "float")))
    assert found.run({"x": X, "c": np.array(True), "n": np.array(1)})[0].tolist() == (-X).tolist()


# Names


def branch(initializer, *, outer="<float[1] k = {5}>"):
    """A branch with an initializer of the name of an outer value."""
    return model_of(
        f"y = If <then_branch = t () => (float[m] r) {initializer} {{ r = Mul(x, k) }}, "
        "else_branch = e () => (float[m] s) { s = Mul(x, k) }> (c)",
        more=outer,
    )


def test_an_initializer_that_hides_another_value_is_refused():
    words = (
        "initializer 'k' in then_branch of node 0: 'k' is there already, in a graph around; values "
        "have one origin"
    )
    refused(branch("<float[1] k = {2}>"), words)
    model = opmill.Model(branch("<float[1] k = {5}>"))  # for which it is all the same
    feeds = {"x": X, "c": np.array(True), "n": np.array(1)}
    assert model.run(feeds)[0].tolist() == (5 * X).tolist()
    computed = branch("<float[1] k = {2}>", outer="")
    computed.graph.node.insert(0, helper.make_node("Cast", ["c"], ["k"], to=1))
    refused(computed, words.replace("node 0", "node 1"))


def test_outputs_that_hide_a_value_are_reported(tmp_path):
    """ONNX forbids it; whoever accepts it takes the inner value."""
    nodes = (
        "w = Neg(x) y = If <then_branch = t () => (float[m] r) { w = Abs(x) r = Add(w, x) }, "
        "else_branch = e () => (float[m] s) { s = Identity(w) }> (c)"
    )
    feeds = {"x": X, "c": np.array(True), "n": np.array(1)}
    assert opmill.Model(model_of(nodes)).run(feeds)[0].tolist() == (2 * X).tolist()
    save(model_of(nodes), tmp_path / "m.onnx")
    done = CliRunner().invoke(main, ["inspect", str(tmp_path / "m.onnx"), "--json"])
    assert json.loads(done.stdout)["notes"] == [
        "node 0 in then_branch of node 1: 'w' is a value of a graph around too, expected another "
        "name"
    ]
    unclear = nodes.replace("w = Abs(x) r = Add(w, x)", "r = Add(w, x) w = Abs(x)")
    refused(
        model_of(unclear),
        "node 0 in then_branch of node 1: 'w' is there already, in a graph around; values have one "
        "origin",
    )


def test_inputs_of_nested_bodies_may_have_the_same_names():
    inner = (
        "Loop <body = bb (int64 i, bool go, float[6] v) => (bool s2, float[6] w2) "
        "{ s2 = Identity(go) w2 = Add(v, v) }> (n, go, v)"
    )
    nodes = (
        "y = Loop <body = b (int64 i, bool go, float[6] v) => (bool s, float[6] w) "
        f"{{ s = Identity(go) w = {inner} }}> (n, c, x)"
    )
    found = opmill.Model(model_of(nodes)).run([X, np.array(True), np.array(2)])[0]
    assert found.tolist() == (16 * X).tolist()


# Data


@pytest.mark.parametrize("field", ["raw_data", "int32_data"])
@pytest.mark.parametrize(("code", "share"), [("INT4", 2), ("UINT4", 2), ("INT2", 4)])
def test_elements_that_share_bytes_have_as_many_as_they_need(field, code, share):
    for count in range(5):
        model = parser.parse_model(
            '<ir_version: 12, opset_import: ["": 25]> g (float x) => (y) { y = Identity(w) }'
            .replace("(y)", "(float y)")
        )  # fmt: skip
        model.graph.output[0].ClearField("type")
        tensor = TensorProto(name="w", data_type=TensorProto.DataType.Value(code), dims=[5])
        if field == "raw_data":
            tensor.raw_data = bytes(count)
        else:
            tensor.int32_data.extend([0] * count)
        model.graph.initializer.append(tensor)
        expected = -(-5 // share)
        if count == expected:
            assert opmill.Model(model).run([np.ones((), np.float32)])[0].shape == (5,)
        else:
            what = "byte" if field == "raw_data" else "value"
            found = f"{count} {what}" if count == 1 else f"{count} {what}s"
            type = f"type {code.lower()}, shape [5]"
            refused(model, f"initializer 'w' has {found} in {field}, expected {expected} ({type})")


def test_a_message_without_a_graph_is_no_model():
    refused(ModelProto(), "the model is no ONNX model: it has no graph")
