"""Calls of the operator of this case; the expected values are worked out by hand."""

import numpy as np
import pytest

import opmill
from opmill.com_example.positives import v1


def test_the_kernel_measures():
    assert v1.positives(np.array([[1, -2], [0, 3]], np.float32)).tolist() == [1, 3]
    assert v1.positives(np.int32(-1)).shape == (0,)


def test_infer_tells_the_bound():
    inferred = v1.infer(np.ones((2, 3), np.float32))
    assert (inferred.type, inferred.shape, inferred.bound) == ("float", (None,), (6,))


def test_a_buffer_has_the_measured_shape():
    out = np.empty(1, np.float32)
    assert v1.positives(np.array([-1, 5], np.float32), out=out) is out
    assert out.tolist() == [5]
    with pytest.raises(opmill.ShapeError, match=r"out for Y has shape \[1\], expected \[2\]"):
        v1.positives(np.array([1, 5], np.float32), out=out)
