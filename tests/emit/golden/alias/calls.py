"""An input and an attribute of one name, and an output whose name is no identifier."""

import numpy as np
import pytest

import opmill
from opmill.com_example.portion import v1

X = np.array([1, 2, 3], np.float32)


def test_each_of_the_two_is_given_by_its_own_python_name():
    by_attribute = v1.portion(X, split_attribute=[1, 2], outputs=2)
    assert [piece.tolist() for piece in by_attribute] == [[1], [2, 3]]
    by_input = v1.portion(X, [2, 1], outputs=2)
    assert [piece.tolist() for piece in by_input] == [[1, 2], [3]]


def test_one_of_the_two_must_be_given():
    with pytest.raises(
        opmill.ShapeError, match="split is absent, expected an input or an attribute"
    ):
        v1.portion(X, outputs=2)


def test_tools_use_the_names_of_onnx():
    portion = opmill.operator("Portion", 1, "com.example")
    (piece,) = portion([X], {"split": [2]}, outputs=1)
    assert piece.tolist() == [1, 2]
    assert v1.SCHEMA.attributes[0].name == "split"
    assert v1.SCHEMA.outputs[0].name == "rest..."
