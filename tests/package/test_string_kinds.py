"""Strings may come in any of NumPy's kinds, and a call may mix them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import opmill
from opmill import opset19

KINDS = {
    "objects": np.array(["a", "ü"], object),
    "bytes in objects": np.array([b"a", "ü".encode()], object),
    "bytes": np.array([b"a", "ü".encode()]),
    "str": np.array(["a", "ü"]),
    "StringDType": np.array(["a", "ü"], np.dtypes.StringDType()),
}


@pytest.mark.parametrize(("first", "second"), list(product(KINDS, KINDS)))
def test_equal_compares_texts_of_any_two_kinds(first, second):
    assert opset19.equal(KINDS[first], KINDS[second]).tolist() == [True, True]
    assert opset19.equal(KINDS[first], KINDS[second][::-1]).tolist() == [False, False]


@pytest.mark.parametrize("other", ["objects", "str", "StringDType"])
def test_bytes_that_are_not_utf8_are_refused_beside_texts(other):
    wrong = np.array([b"a", b"\xff"])
    with pytest.raises(opmill.OpError, match=r"Equal-19: B\[1\] is b'\\xff', expected UTF-8"):
        opset19.equal(KINDS[other], wrong)


def test_a_lone_surrogate_is_compared_as_it_is():
    lone = np.array(["a", "\ud800"])
    for other in KINDS.values():
        assert opset19.equal(lone, other).tolist() == [True, False]
