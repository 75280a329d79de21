"""``Operator.limited``: the elements of an output are limited as it is stored."""

from __future__ import annotations

import numpy as np
import pytest

import opmill

CONV = opmill.operator("Conv", 11)
X = np.linspace(-1, 1, 27, dtype=np.float32).reshape(1, 3, 3, 3)
W = np.ones((2, 3, 1, 1), np.float32)

native = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the native module is not built here"
)


@native
def test_the_elements_are_limited():
    (y,) = CONV([X, W])
    found = CONV.limited([X, W], {}, -0.5, 1.25)
    assert found is not None
    assert found.tolist() == np.clip(y, np.float32(-0.5), np.float32(1.25)).tolist()


@native
def test_the_upper_limit_is_the_last():
    found = CONV.limited([X, W], {}, 2.0, 1.0)
    assert found is not None
    assert (found == 1).all()


def test_nothing_on_numpy():
    with opmill.use_backend("numpy"):
        assert CONV.limited([X, W], {}, 0.0, 1.0) is None


def test_nothing_of_another_operator():
    relu = opmill.operator("Relu", 14)
    assert not relu.takes_limits
    assert relu.limited([X], {}, 0.0, 1.0) is None


@native
@pytest.mark.parametrize(
    ("arrays", "limits", "reason"),
    [
        (
            [X.astype(np.float64), W.astype(np.float64)],
            (0.0, 1.0),
            "limits are given, expected NULL where Y has type double",
        ),
        ([X, W], (np.nan, 1.0), "limits.low is NaN, expected a number"),
        ([X, W], (0.0, np.nan), "limits.high is NaN, expected a number"),
    ],
)
def test_refusals(arrays, limits, reason):
    with pytest.raises(opmill.OpError, match=f"^Conv-11: {reason}$"):
        CONV.limited(arrays, {}, *limits)


@native
def test_the_native_kernel_refuses_limits_of_other_operators():
    from opmill import _native

    kernel = _native.find("ai.onnx", "Relu", 14, lambda *_: ())
    assert kernel is not None
    with pytest.raises(opmill.OpError, match="limits are given, expected NULL for this operator"):
        kernel.limited([X], {}, 0.0, 1.0)
    with pytest.raises(TypeError):
        kernel.limited([X], {}, "0", 1.0)
