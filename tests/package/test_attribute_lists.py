"""Lists of attributes are read at once where all elements are Python's own, else one by one."""

import numpy as np
import pytest

import opmill
from opmill import opset21 as op

FLOATS = [0.1, -0.0, 1e-46, 3.4028235677973366e38, -1e308, float("inf"), float("nan"), 1 / 3]


def test_floats_are_rounded_to_float32_either_way():
    at_once = op.constant(value_floats=FLOATS)
    one_by_one = op.constant(value_floats=[np.float64(x) for x in FLOATS])
    with np.errstate(over="ignore"):
        expected = np.float32(FLOATS)
    assert at_once.tobytes() == one_by_one.tobytes() == expected.tobytes()


def test_integers_are_those_of_64_bits_either_way():
    limits = [-(2**63), 2**63 - 1, 7]
    assert op.constant(value_ints=limits).tolist() == limits
    assert op.constant(value_ints=list(map(np.int64, limits))).tolist() == limits
    assert op.constant(value_ints=[]).tolist() == []


@pytest.mark.parametrize("wrong", [[1, True], [1, 2.0], [1, "2"], [2**63], [1, None]])
def test_integers_of_other_types_are_refused(wrong):
    with pytest.raises(opmill.AttributeValueError, match="value_ints"):
        op.constant(value_ints=wrong)


@pytest.mark.parametrize("wrong", [[1.0, True], [1.0, "2"], [1.0, None]])
def test_floats_of_other_types_are_refused(wrong):
    with pytest.raises(opmill.AttributeValueError, match="value_floats"):
        op.constant(value_floats=wrong)


def test_strings_are_read_alike():
    assert op.constant(value_strings=["a", ""]).tolist() == ["a", ""]
    with pytest.raises(opmill.AttributeValueError, match="value_strings"):
        op.constant(value_strings=["a", 1])
