"""Operators of other domains, replaced by those of ONNX's own: every example, and whole models."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import checker, parser

import opmill
from converted_domains import freed
from opmill_gen.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "start" / "convert.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| (\w+) \| .* \| (exact|close|neighbour) \|$", PAGE, re.M))
"""The operators of the table, and the largest difference that it states."""

ALLOWED = {
    "exact": {"exact"},
    "close": {"exact", "close"},
    "neighbour": {"exact", "neighbour"},
}

REFUSED = {
    "GatherBlockQuantized": "input is float4e2m1, which is new in opset 23",
    "Unique": "no operator of ai.onnx separates the NaNs of complex numbers",
}
"""The reason why some examples of an operator have no nodes at opset 21."""


def test_the_table_has_all_operators():
    specs = (ROOT / "specs" / "com.microsoft").glob("*/conversions.yaml")
    assert sorted(ROWS) == sorted(path.parent.name for path in specs)


@pytest.mark.parametrize("operator", sorted(ROWS))
def test_examples(operator: str):
    done = freed(operator, 21)
    reason = REFUSED.get(operator)
    refused = [note for note in done.notes if reason and note.endswith(f": refused: {reason}")]
    allowed = ALLOWED[ROWS[operator]] | ({"refused"} if refused else set())
    assert done.counts.keys() <= allowed, done.notes
    assert done.counts["refused"] == len(refused), done.notes
    assert done.counts["exact"] > 0


MODEL = (
    '<ir_version: 8, opset_import: ["" : %d, "com.microsoft" : 1]>'
    "g (float[2, 4] x, float[2, 4] skip) => (float[2, 4] y)"
    "<float[4] gamma = {1, 2, 3, 4}, float[4] bias = {0, 1, 0, -1}>"
    "{ s = com.microsoft.SkipLayerNormalization<epsilon = 1e-5>(x, skip, gamma)"
    " g = com.microsoft.BiasGelu(s, bias) t = Identity(g)"
    " y = com.microsoft.FusedMatMul<alpha = 2.0>(t, w) }"
)


def model(opset: int) -> onnx.ModelProto:
    found = parser.parse_model(MODEL % opset)
    w = np.eye(4, dtype=np.float32)[::-1].copy()
    found.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    return found


@pytest.mark.parametrize("opset", [13, 17, 25])
def test_values_whose_types_become_known(opset: int):
    done = opmill.convert(model(opset), domain="ai.onnx")
    checker.check_model(done, full_check=True)
    assert [(one.domain, one.version) for one in done.opset_import] == [("", opset)]
    random = np.random.default_rng(3)
    feeds = [random.standard_normal((2, 4)).astype(np.float32) for _ in range(2)]
    (wanted,), (found,) = (opmill.Model(one).run(feeds) for one in (model(opset), done))
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_both_a_domain_and_an_opset():
    done = opmill.convert(model(18), 11, domain="ai.onnx")
    checker.check_model(done, full_check=True)
    assert [(one.domain, one.version) for one in done.opset_import] == [("", 11)]


def test_weights_stay_quantised_where_blocks_exist():
    text = (
        '<ir_version: 10, opset_import: ["" : %d, "com.microsoft" : 1]>'
        "g (float[2, 16] x) => (float[2, 1] y) <float[1, 1] s = {0.5}>"
        "{ y = com.microsoft.MatMulNBits<K = 16, N = 1, bits = 4, block_size = 16>(x, b, s) }"
    )
    codes = np.arange(8, dtype=np.uint8).reshape(1, 1, 8) * 31
    x = np.arange(32, dtype=np.float32).reshape(2, 16)
    low, high = codes & 15, codes >> 4
    weights = (np.stack([low, high], -1).reshape(16).astype(np.float64) - 8) / 2
    for opset, has_codes in ((21, True), (13, False)):
        written = parser.parse_model(text % opset)
        written.graph.initializer.append(onnx.numpy_helper.from_array(codes, "b"))
        done = opmill.convert(written, domain="ai.onnx")
        checker.check_model(done, full_check=True)
        assert any(n.op_type == "DequantizeLinear" for n in done.graph.node) == has_codes
        (found,) = opmill.Model(done).run([x])
        np.testing.assert_allclose(found[:, 0], x @ weights, 1e-5)


def test_names_in_bodies_of_functions_are_new():
    """At opset 21, RotaryEmbedding is the body that ONNX publishes; its names occur once each."""
    text = (
        '<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>'
        "g (float[1, 2, 8] x, int64[1, 2] p, float[4, 4] c, float[4, 4] s, float[4] NewShape__1)"
        " => (float[1, 2, 8] y, float[4] z) {"
        " a = com.microsoft.RotaryEmbedding<num_heads = 1>(x, p, c, s)"
        " y = com.microsoft.RotaryEmbedding<num_heads = 1>(a, p, c, s) z = Identity(NewShape__1) }"
    )
    written = parser.parse_model(text)
    done = opmill.convert(written, domain="ai.onnx")
    checker.check_model(done, full_check=True)
    names = [name for node in done.graph.node for name in node.output]
    names += [one.name for one in (*done.graph.initializer, *done.graph.input)]
    assert "NewShape__1" in names
    assert len(names) == len(set(names))
    random = np.random.default_rng(5)
    x, c, s, z = (
        random.standard_normal(shape).astype(np.float32)
        for shape in ((1, 2, 8), (4, 4), (4, 4), (4,))
    )
    feeds = [x, np.array([[3, 1]]), c, s, z]
    for wanted, found in zip(
        *(opmill.Model(one).run(feeds) for one in (written, done)), strict=True
    ):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_operators_that_nothing_computes_are_listed(tmp_path):
    source, target = tmp_path / "m.onnx", tmp_path / "o.onnx"
    text = (
        '<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1, "own" : 1]>'
        "g (float[4] x) => (float[4] y)"
        "{ a = own.Blend(x) b = com.microsoft.Tokens(a) y = com.microsoft.Gelu(x) }"
    )
    onnx.save(parser.parse_model(text), source)
    arguments = ["convert", str(source), "--domain", "ai.onnx", "-o", str(target)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 1
    assert not target.exists()
    assert "Blend of a: Blend: no operators of ai.onnx are known to compute it" in done.output
    assert "Tokens of b" in done.output
    with pytest.raises(opmill.ConversionError, match=r"2 nodes cannot be nodes of ai\.onnx at"):
        opmill.convert(source, domain="ai.onnx")


def test_arguments_that_are_wrong():
    with pytest.raises(opmill.ModelError, match="neither opset nor domain is given"):
        opmill.convert(model(17))
    with pytest.raises(opmill.ModelError, match=r"domain is 'own', expected 'ai\.onnx'"):
        opmill.convert(model(17), domain="own")
