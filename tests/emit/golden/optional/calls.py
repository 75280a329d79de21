"""Calls of the operator of this case; the expected values are worked out by hand."""

import numpy as np
import pytest

import opmill
from opmill.com_example.halve import v1


def test_an_optional_output_is_returned_when_asked_for():
    assert v1.halve([4, 5, -1]).tolist() == [2, 2, -1]
    (halves,) = v1.halve([4, 5, -1], outputs=1)
    assert halves.tolist() == [2, 2, -1]
    halves, rest = v1.halve([4, 5, -1], np.int64(10), outputs=2)
    assert (halves.tolist(), rest.tolist()) == ([12, 12, 9], [0, 1, 1])


def test_the_number_of_outputs_has_bounds():
    for count in (0, 3):
        with pytest.raises(
            opmill.OpError, match=rf"^Halve-1: number of outputs is {count}, expected 1 to 2$"
        ):
            v1.halve([1], outputs=count)


def test_attributes():
    assert v1.halve([7], steps=2, words=["a"], outputs=2)[1].tolist() == [3]
    with pytest.raises(opmill.AttributeValueError, match=r"^Halve-1: steps is "):
        v1.halve([7], steps=0)
    with pytest.raises(TypeError):
        v1.halve([7], None, 2)


def test_an_optional_input_may_be_none():
    assert v1.halve([7], None).tolist() == [3]
    with pytest.raises(opmill.ShapeError, match=r"^Halve-1: bias has shape \[1\], expected \[\]$"):
        v1.halve([7], [1])
