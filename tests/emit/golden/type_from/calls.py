"""Calls of the operator of this case; the expected values are worked out by hand."""

import numpy as np
import pytest

import opmill
from opmill.com_example.convert import v1

DOUBLE, INT64, FLOAT = 11, 7, 1


def test_the_attribute_names_the_type():
    x = np.array([0, 2.75], np.float32)
    assert v1.convert(x, to=DOUBLE).dtype == np.float64
    whole = v1.convert(x, to=INT64)
    assert (whole.dtype, whole.tolist()) == (np.int64, [0, 2])
    assert v1.infer(x, to=INT64).type == "int64"


@pytest.mark.parametrize(("number", "word"), [(FLOAT, "float"), (0, "0"), (999, "999")])
def test_another_type_is_refused(number, word):
    message = f"^Convert-1: attribute 'to' is {word}, expected one of double, int64$"
    with pytest.raises(opmill.AttributeValueError, match=message):
        v1.convert(np.float32(1), to=number)


def test_the_attribute_must_be_given():
    with pytest.raises(TypeError, match="to"):
        v1.convert(np.float32(1))


def test_a_buffer_has_that_type():
    with pytest.raises(
        opmill.TypeConstraintError, match="out for Y has type double, expected int64"
    ):
        v1.convert(np.float32(1), to=INT64, out=np.empty((), np.float64))
