"""Models with unsupported operators: refused at once, or computed elsewhere.

Operators are hidden from the reader of models, so that no test depends on what is supported.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest
from onnx import defs, helper, parser

import opmill
from opmill._onnx import builder
from opmill._onnx.functions import published_body

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def chain(*names, opset=13):
    lines = [f"v{k + 1} = {name}(v{k})" for k, name in enumerate(names)]
    return parser.parse_model(
        f'<ir_version: 8, opset_import: ["": {opset}]> '
        f"g (float[3, 4] v0) => (float[a, b] v{len(names)}) {{ {' '.join(lines)} }}"
    )


@pytest.fixture
def hide(monkeypatch):
    """Hides operators from the reader of models."""
    resolve = builder.resolve

    def hidden(*names):
        def resolved(place, name, domain, opset):
            if name not in names:
                return resolve(place, name, domain, opset)
            version = defs.get_schema(name, opset).since_version
            return opmill.Missing(place, name, domain, version, opset)

        monkeypatch.setattr(builder, "resolve", resolved)

    return hidden


def test_all_that_is_lacking_is_said_at_once_with_the_nodes(hide):
    hide("Sin", "Cos")
    with pytest.raises(opmill.UnsupportedOperatorError) as caught:
        opmill.Model(chain("Sin", "Neg", "Cos", "Abs", "Sin"))
    assert str(caught.value) == (
        "node 0 and 1 more node need Sin-7 of ai.onnx (opset 13); node 2 needs Cos-7 of ai.onnx "
        "(opset 13): not supported yet; opmill.operators() lists what is, and opmill.Model with "
        "fallback='onnxruntime' computes the others by onnxruntime"
    )
    assert [one.node for one in caught.value.missing] == ["node 0", "node 2", "node 4"]


def test_nodes_that_no_output_needs_may_lack_an_operator(hide):
    hide("Sin")
    model = chain("Neg")
    model.graph.node.append(helper.make_node("Sin", ["v0"], ["unused"]))
    np.testing.assert_array_equal(opmill.Model(model).run([X])[0], -X)


def test_nodes_in_subgraphs_are_said_too(hide):
    hide("Sin")
    model = parser.parse_model("""
    <ir_version: 8, opset_import: ["": 16]>
    g (bool c, float[3, 4] x) => (float[a, b] y) {
        y = If <
            then_branch = th () => (float[a, b] r) { r = Sin(x) },
            else_branch = el () => (float[a, b] r2) { r2 = Neg(x) }
        > (c)
    }""")
    words = "^node 0 in then_branch of node 0 needs Sin-7 of"
    with pytest.raises(opmill.UnsupportedOperatorError, match=words):
        opmill.Model(model)
    loaded = opmill.Model(model, fallback="reference")
    np.testing.assert_array_equal(loaded.run([np.array(False), X])[0], -X)
    np.testing.assert_allclose(loaded.run([np.array(True), X])[0], np.sin(X), rtol=1e-6)


@pytest.mark.parametrize("runtime", ["onnxruntime", "reference"])
def test_another_runtime_computes_what_is_lacking_and_nothing_else(runtime, hide):
    hide("Sin")
    loaded = opmill.Model(chain("Neg", "Sin", "Abs"), fallback=runtime)
    assert [str(one) for one in loaded.missing] == ["node 1 needs Sin-7 of ai.onnx (opset 13)"]
    with loaded.trace() as trace:
        (y,) = loaded.run([X])
    best = opmill.backends()[0]
    assert [node.kernel.split()[0] for node in trace.nodes] == [best, runtime, best]
    np.testing.assert_allclose(y, np.abs(np.sin(-X)), rtol=1e-6)


def test_loading_fails_where_the_fallback_is_needed_and_not_installed(hide, monkeypatch):
    hide("Sin")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    words = r"^fallback='onnxruntime' needs the package onnxruntime .*pip install 'onnxruntime>="
    with pytest.raises(ImportError, match=words):
        opmill.Model(chain("Neg", "Sin"), fallback="onnxruntime")
    opmill.Model(chain("Neg"), fallback="onnxruntime").run([X])


@pytest.mark.parametrize(
    ("operator", "opset"), [("Affine", 8), ("Scatter", 11), ("Gelu", 13), ("Rleu", 13)]
)
def test_an_operator_that_the_opset_lacks_may_be_left_to_the_other_runtime(operator, opset):
    """onnxruntime has Affine, which ONNX dropped."""
    with pytest.raises(opmill.ModelError, match=r"fallback='onnxruntime' leaves such nodes to"):
        opmill.Model(chain(operator, opset=opset))


def test_what_the_other_runtime_refuses_names_the_node(hide):
    hide("Sin")
    model = chain("Neg", "Sin")
    model.graph.node[1].attribute.append(helper.make_attribute("no_such_attribute", 3))
    loaded = opmill.Model(model, fallback="onnxruntime")
    with pytest.raises(opmill.ModelError, match=r"^node 1: onnxruntime says: "):
        loaded.run([X])
    with pytest.raises(ValueError, match="fallback is 'torch', expected 'onnxruntime' or"):
        opmill.Model(model, fallback="torch")


@pytest.mark.parametrize(
    ("operator", "opset", "expected"),
    [
        ("HardSwish", 14, ["HardSigmoid-6", "Mul-14"]),
        ("Softsign", 18, ["CastLike-15", "Abs-13", "Add-14", "Div-14"]),
    ],
)
def test_published_bodies_compute_what_is_not_supported_itself(operator, opset, expected, hide):
    model = chain(operator, opset=opset)
    (direct,) = opmill.Model(model).run([X])
    hide(operator)
    loaded = opmill.Model(model)
    with loaded.trace() as trace:
        (y,) = loaded.run([X])
    found = [node.operator for node in trace.nodes]
    assert found == expected
    assert trace.nodes[0].node.endswith(f" in function '{operator}' of node 0")
    np.testing.assert_allclose(y, direct, rtol=1e-6, atol=1e-7)


def test_a_body_that_depends_on_types_has_those_of_the_node(hide):
    """The body of Celu casts nothing where its input is of floats, and has alpha as a constant."""
    model = chain("Neg", "Celu", opset=12)
    model.graph.node[1].attribute.append(helper.make_attribute("alpha", 0.5))
    (direct,) = opmill.Model(model).run([X])
    hide("Celu")
    np.testing.assert_allclose(opmill.Model(model).run([X])[0], direct, rtol=1e-5, atol=1e-6)


def test_a_body_that_lacks_an_operator_leaves_the_node_lacking(hide):
    hide("HardSwish", "HardSigmoid")
    model = chain("Neg", "HardSwish", "Abs", opset=14)
    with pytest.raises(opmill.UnsupportedOperatorError, match=r"^node 1 needs HardSwish-14 of ai"):
        opmill.Model(model)
    loaded = opmill.Model(model, fallback="onnxruntime")
    with loaded.trace() as trace:
        loaded.run([X])
    assert [node.operator for node in trace.nodes] == ["Neg-13", "HardSwish-14", "Abs-13"]


def test_a_body_has_the_defaults_of_the_schema():
    node = helper.make_node("HardSigmoid", ["x"], ["y"])
    missing = opmill.Missing("node 0", "HardSigmoid", "ai.onnx", 6, 18)
    body = published_body(node, missing, ["tensor(float)"])
    assert body is not None
    values = {one.name: round(one.f, 6) for one in body.attribute_proto}
    assert values == {"alpha": 0.2, "beta": 0.5}
