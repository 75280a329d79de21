"""The proof of conversions finds entries that are wrong."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from onnx import parser

import conversion_onnxruntime
from conversion_proof import prove, table
from opmill._convert import step

WRONG: dict[str, tuple[tuple[str, int, int], dict[str, Any], set[str]]] = {
    "a call that computes something else": (
        ("OneHot", 9, 11), {"same": {}}, {"different"},
    ),
    "exchanged inputs": (
        ("Sub", 7, 6), {"nodes": "C = Sub<broadcast = 1>(B, A)"}, {"different", "invalid"},
    ),
    "an attribute that is lost": (
        ("LeakyRelu", 6, 1), {"same": {"alpha": None}}, {"different"},
    ),
    "a result that is rounded, without a reason": (
        ("Exp", 6, 1),
        {"nodes": "y = Log(input) z = Exp(y) w = Exp(z) output = Log(w)"},
        {"different", "close"},
    ),
    "a node that no version allows": (
        ("Softsign", 1, 22), {"same": {"axis": "1"}}, {"invalid", "failed"},
    ),
    "a type that is not that of the output": (
        ("Relu", 6, 1), {"nodes": "y = Relu(X) Y = Cast<to = \"DOUBLE\">(y)"}, {"failed"},
    ),
}  # fmt: skip
"""Entries as somebody could write them, the step that each is for, and what the proof reports."""


@pytest.mark.parametrize("fault", sorted(WRONG))
def test_wrong_entry(fault: str, monkeypatch: pytest.MonkeyPatch):
    (name, source, target), entry, words = WRONG[fault]
    planted = copy.deepcopy(table())
    low, high = sorted((source, target))
    direction = "up" if target > source else "down"
    planted["ai.onnx"].setdefault(name, {}).setdefault(f"{low}>{high}", {})[direction] = [entry]
    assert not prove(name, source, target).problems
    monkeypatch.setattr(step, "_table", lambda: planted)
    found = prove(name, source, target).problems
    assert found
    assert found.keys() <= words


def test_onnxruntime_tells_versions_apart():
    """Softmax has another meaning from opset 13 on."""
    text = (
        '<ir_version: 7, opset_import: ["" : %d]> g (float[2, 3, 2] x) => (float[2, 3, 2] y) {%s}'
    )
    old = parser.parse_model(text % (11, "y = Softmax<axis = 1>(x)"))
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    flat = np.exp(x.reshape(2, 6))
    wanted = [(flat / flat.sum(1, keepdims=True)).reshape(x.shape)]
    right = parser.parse_model(text % (13, "y = Softmax<axis = 1>(x)"))
    words = [conversion_onnxruntime.judged(old, one, {"x": x}, wanted) for one in (old, right)]
    assert words == ["right", "apart"]
    refused = parser.parse_model(text % (13, "y = Softmax<axis = 7>(x)"))
    assert conversion_onnxruntime.judged(old, refused, {"x": x}, wanted) == "not run"
