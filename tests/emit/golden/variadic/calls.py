"""Calls of the operator of this case; the expected values are worked out by hand."""

import numpy as np
import pytest

import opmill
from opmill.com_example.deal import v1

ONE, TWO = np.array([1, 2], np.float32), np.float32([[3]])


def test_as_many_pieces_as_asked_for():
    pieces = v1.deal(ONE, TWO, outputs=3)
    assert [piece.tolist() for piece in pieces] == [[1, 2], [[3]], [1, 2]]
    assert [piece.tolist() for piece in v1.deal(ONE, TWO, outputs=1)] == [[1, 2]]


def test_the_call_must_say_how_many():
    with pytest.raises(opmill.OpError, match=r"^Deal-1: number of outputs is absent, expected"):
        v1.deal(ONE, TWO)
    with pytest.raises(
        opmill.OpError,
        match=r"^Deal-1: number of outputs is 0, "
        r"expected at least 1$",
    ):
        v1.deal(ONE, TWO, outputs=0)


def test_buffers():
    out = [np.empty(2, np.float32), np.empty((1, 1), np.float32)]
    pieces = v1.deal(ONE, TWO, outputs=2, out=out)
    assert pieces[0] is out[0]
    assert [array.tolist() for array in out] == [[1, 2], [[3]]]


def test_infer():
    assert [(t.type, t.shape) for t in v1.infer(ONE, TWO, outputs=2)] == [
        ("float", (2,)),
        ("float", (1, 1)),
    ]
