"""Calls of the operators of this case; the expected values are worked out by hand."""

import keyword

import numpy as np
import pytest

import opmill
from opmill.com_example_vision import if_, opset1, opset2, triple
from opmill.com_example_vision.if_ import v1


def test_each_parameter_has_an_instance_of_its_own():
    x = np.array([1, 2, 5], np.int32)
    assert if_.v1.if_(x).tolist() == [2, 4, 10]
    assert triple.v1.triple(x).tolist() == [3, 6, 15]


def test_a_keyword_has_an_underscore():
    assert keyword.iskeyword("if")
    assert v1.if_ is opset1.if_
    assert v1.SCHEMA.name == "If"


def test_an_opset_names_what_is_not_supported():
    assert opset1.triple(np.array([1], np.int32)).tolist() == [3]
    with pytest.raises(opmill.NotInOpsetError, match="Triple-2"):
        _ = opset2.triple
    with pytest.raises(opmill.NotInOpsetError, match="Later"):
        _ = opset2.later
    with pytest.raises(opmill.NotInOpsetError, match="Later is not in opset 1"):
        _ = opset1.later


def test_the_registry_knows_the_domain():
    assert opmill.operator("If", 1, "com.example.vision") is v1.OPERATOR


def test_the_rule_has_the_parameter_as_a_constant():
    with pytest.raises(
        opmill.ShapeError, match=r"^Triple-1: X has rank 0, expected at least 1 \(factor 3\)$"
    ):
        triple.v1.infer(np.float32(1))


def test_what_is_reached_from_the_package():
    assert {"com_example_vision", "OpError", "use_backend"} <= set(dir(opmill))
    assert set(dir(opmill.com_example_vision)) >= {"if_", "triple", "opset1", "opset2"}
