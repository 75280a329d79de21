"""Calls of operators that are rows of the elementwise families; values worked out by hand."""

import ml_dtypes
import numpy as np
import pytest

import opmill
from opmill.com_example import above, leaky, missing


def test_an_attribute_is_an_operand():
    x = np.array([-2, 3], np.float32)
    assert leaky.v1.leaky(x).tolist() == [-0.5, 3]
    assert leaky.v1.leaky(x, alpha=-1.5).tolist() == [3, 3]


def test_halves_are_computed_as_floats_and_rounded_once():
    # 0.1 as a float32 times -3 is -0.3000000044703484, between -0.30078125 and -0.298828125.
    x = np.array([-3], ml_dtypes.bfloat16)
    assert float(leaky.v1.leaky(x, alpha=0.1)[0]) == -0.30078125


def test_the_family_decides_the_type_of_the_output():
    result = above.v1.above(np.array([1, 2], np.int8), np.int8(1))
    assert result.dtype == np.bool_
    assert result.tolist() == [False, True]
    assert above.v1.infer(np.float16(1), np.float16(1)).type == "bool"
    assert missing.v1.missing(np.array([np.nan, 1])).tolist() == [True, False]


def test_rules_differ():
    with pytest.raises(opmill.ShapeError, match=r"B.shape\[0\] is 3, expected 1 or 2"):
        above.v1.above(np.zeros(2), np.zeros(3))
    with pytest.raises(opmill.AttributeValueError, match="alpha"):
        missing.v1.OPERATOR([np.zeros(2)], {"alpha": 1.0})
