"""Arguments and results of functions beyond a literal call: counts, types, single outputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import opmill
from opmill import opset1, opset2, opset6, opset13, opset18, opset22, opset25

ROW = np.arange(6, dtype=np.float32)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)


@pytest.fixture(params=opmill.backends(), autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with opmill.use_backend(request.param):
        yield


def lengths(parts: Any) -> list[int]:
    return [len(part) for part in parts]


def test_the_count_of_outputs_is_that_of_the_lengths() -> None:
    for given in ([1, 2, 3], (1, 2, 3), np.array([1, 2, 3]), range(1, 4)):
        assert lengths(opset13.split(ROW, given)) == [1, 2, 3]
        assert lengths(opset18.split(ROW, given)) == [1, 2, 3]
    assert lengths(opset2.split(ROW, split=[4, 2])) == [4, 2]
    assert lengths(opset1.split(ROW, split_attribute=[4, 2])) == [4, 2]
    assert lengths(opset1.split(ROW, np.array([4, 2], np.float32))) == [4, 2]
    halves = opset13.split.__globals__["infer"](ROW, [4, 2])
    assert [one.shape for one in halves] == [(4,), (2,)]


def test_the_count_of_outputs_is_that_of_an_attribute_or_of_the_buffers() -> None:
    assert lengths(opset18.split(ROW, num_outputs=4)) == [2, 2, 2, 0]
    assert lengths(opset18.split(ROW, num_outputs=np.int64(1))) == [6]
    buffers = [np.empty(3, np.float32), np.empty(3, np.float32)]
    assert opset13.split(ROW, out=buffers)[1] is buffers[1]
    assert buffers[1].tolist() == [3, 4, 5]


def test_counts_that_differ_or_are_missing_are_refused() -> None:
    with pytest.raises(
        opmill.OpError,
        match=r"^Split-13: number of outputs is absent, "
        r"expected the argument",
    ):
        opset13.split(ROW)
    with pytest.raises(
        opmill.ShapeError, match=r"^Split-13: split has 2 values, expected 3 \(the number"
    ):
        opset13.split(ROW, [3, 3], outputs=3)
    with pytest.raises(opmill.OpError, match=r"^Split-18: num_outputs is 2, expected 3"):
        opset18.split(ROW, num_outputs=2, outputs=3)
    given: Any = "2"
    with pytest.raises(
        opmill.OpError,
        match=r"^Split-18: attribute 'num_outputs' is str '2', "
        r"expected INT",
    ):
        opset18.split(ROW, num_outputs=given)
    given = 3
    with pytest.raises(opmill.OpError, match=r"^Split-13: split has rank 0, expected 1$"):
        opset13.split(ROW, given)
    with pytest.raises(
        opmill.OpError,
        match=r"^Split-13: number of outputs is absent, "
        r"expected the argument",
    ):
        opmill.operator("Split", 13)([ROW, [3, 3]])


def test_the_first_output_is_returned_alone() -> None:
    largest = opset22.max_pool(IMAGE, kernel_shape=[2, 2], strides=[2, 2])
    assert isinstance(largest, np.ndarray)
    assert largest.tolist() == [[[[5, 7], [13, 15]]]]
    out = np.empty((1, 1, 2, 2), np.float32)
    assert opset22.max_pool(IMAGE, kernel_shape=[2, 2], strides=[2, 2], out=out) is out
    values, indices = opset22.max_pool(IMAGE, kernel_shape=[4, 4], outputs=2)
    assert (values.item(), indices.item()) == (15, 15)
    (alone,) = opset22.max_pool(IMAGE, kernel_shape=[4, 4], outputs=1)
    assert alone.item() == 15
    infer = opset22.max_pool.__globals__["infer"]
    assert infer(IMAGE, kernel_shape=[4, 4]).shape == (1, 1, 1, 1)
    assert [one.type for one in infer(IMAGE, kernel_shape=[4, 4], outputs=2)] == ["float", "int64"]
    assert isinstance(opmill.operator("MaxPool", 22)([IMAGE], {"kernel_shape": [2, 2]}), tuple)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (7, np.int64),
        (np.int32(7), np.int64),
        (np.int64, np.int64),
        (np.dtype(">i8"), np.int64),
        ("int64", np.int64),
        ("INT64", np.int64),
        ("float", np.float32),  # ONNX's word
        (float, np.float64),  # Python's class
        ("double", np.float64),
        ("float64", np.float64),
        (bool, np.bool_),
        ("bfloat16", ml_dtypes.bfloat16),
        (ml_dtypes.bfloat16, ml_dtypes.bfloat16),
        ("float8e4m3fn", ml_dtypes.float8_e4m3fn),
        ("float8_e4m3fn", ml_dtypes.float8_e4m3fn),
        (ml_dtypes.int4, ml_dtypes.int4),
        ("string", np.object_),
        (str, np.object_),
    ],
)
def test_types_are_named_as_numpy_or_onnx_name_them(given: Any, dtype: Any) -> None:
    assert opset25.cast(ROW, to=given).dtype == dtype
    assert opset25.cast.__globals__["infer"](ROW, to=given).shape == (6,)


def test_types_that_an_old_version_names_by_texts() -> None:
    for given in ("INT64", "int64", np.int64, np.dtype("int64")):
        assert opset1.cast(ROW, to=given).dtype == np.int64
    assert opset6.cast(ROW, to=np.float64).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("int46", "attribute 'to' is 'int46', expected a NumPy dtype, or ONNX's name or number"),
        (
            np.timedelta64,
            "attribute 'to' is of type type, expected a NumPy dtype, or ONNX's name or",
        ),
        (
            [7],
            "attribute 'to' is of type list, "
            "expected a NumPy dtype, or ONNX's name or number of an",
        ),
        (True, "attribute 'to' is bool True, expected INT"),
        (99, "attribute 'to' is 99, expected one of"),
        (None, "attribute 'to' is absent, expected a value"),
    ],
)
def test_types_that_are_none(given: Any, words: str) -> None:
    with pytest.raises(opmill.AttributeValueError) as refused:
        opset13.cast(ROW, to=given)
    assert str(refused.value).startswith(f"Cast-13: {words}")
    with pytest.raises(opmill.AttributeValueError, match="is str 'int64', expected INT"):
        opmill.operator("Cast", 13)([ROW], {"to": "int64"})
