"""Counts beyond all sense are refused at once, in words, on every backend."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import opmill
from opmill import TensorType, opset13, opset18, opset22

ROW = np.ones(3, np.float32)
HUGE = 10**5000
"""More digits than Python prints."""

LONG = range(10**30)
"""A list whose length len() cannot tell."""

SPLIT = opmill.operator("Split", 13)
RELU = opmill.operator("Relu", 14)


@pytest.fixture(params=opmill.backends(), autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with opmill.use_backend(request.param):
        yield


REFUSED: list[tuple[str, Any]] = [
    ("Split-13: number of outputs is 2147483648, expected 1 to 65536",
     lambda: SPLIT([ROW], {}, outputs=2**31)),
    ("Split-13: number of outputs is 65537, "
"expected 1 to 65536", lambda: SPLIT([ROW[:0]], outputs=65537)),
    ("Split-13: number of outputs is 65537, expected 1 to 65536",
     lambda: SPLIT.infer([ROW[:0]], outputs=65537)),
    ("Split-13: number of outputs is 65537, expected 1 to 65536",
     lambda: SPLIT.explain([ROW[:0]], outputs=65537)),
    ("Split-13: number of outputs is 4294967296, expected 1 to 65536",
     lambda: opset13.split(np.array(["a"]), outputs=2**32)),
    ("Split-18: number of outputs is 4611686018427387904, expected 1 to 65536",
     lambda: opset18.split(ROW, num_outputs=2**62, outputs=2**62)),
    ("Split-18: number of outputs is 4611686018427387904, expected 1 to 65536",
     lambda: opset18.split(ROW, num_outputs=2**62)),
    ("Split-18: num_outputs is 4611686018427387904, expected 2 (the number of outputs)",
     lambda: opset18.split(ROW, num_outputs=2**62, outputs=2)),
    ("Split-13: number of outputs is an integer of 16610 bits, expected 1 to 65536",
     lambda: SPLIT([ROW], outputs=HUGE)),
    ("Split-13: number of outputs is -1, expected at least 1", lambda: SPLIT([ROW], outputs=-1)),
    ("Relu-14: number of outputs is an integer of 16610 bits, expected 1",
     lambda: RELU([ROW], outputs=-HUGE)),
    ("Relu-14: outputs has type bool, expected an integer", lambda: RELU([ROW], outputs=True)),
    ("Concat-13: inputs has 10000000000 values, expected at most 1048576",
     lambda: opmill.operator("Concat", 13)(range(10**10), {"axis": 0})),
    (f"Relu-14: inputs has {10**30} values, expected at most 1048576",
     lambda: RELU(LONG)),
    (f"Tile-13: repeats has {10**30} values, expected at most 1048576",
     lambda: opset13.tile(ROW, LONG)),
    (f"MaxPool-22: attribute 'kernel_shape' is range of {10**30} values, expected INTS",
     lambda: opset22.max_pool(ROW[None, None], kernel_shape=LONG)),
    ("Concat-13: attribute 'axis' is an integer of 16610 bits, expected INT of 64 bits",
     lambda: opset13.concat(ROW, axis=HUGE)),
    ("Relu-14: X has more than 64 dims, expected at most 64",
     lambda: RELU.infer([TensorType("float", LONG)])),  # type: ignore[arg-type]
    ("Relu-14: X has dims that are no integers, expected integers",
     lambda: RELU.infer([TensorType("float", (2.5,))])),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("words", "call"), REFUSED)
def test_a_count_beyond_all_sense(words: str, call: Any) -> None:
    begin = time.process_time()
    with pytest.raises(opmill.OpError) as refused:
        call()
    assert str(refused.value) == words
    assert time.process_time() - begin < 5


def test_the_highest_counts_that_are_legal() -> None:
    assert len(SPLIT([ROW[:0]], outputs=2**16)) == 2**16
    assert len(SPLIT([ROW[:0]], outputs=np.int32(3))) == 3
    lengths = range(2**16)
    with pytest.raises(opmill.ShapeError, match=r"^Split-13: split adds up to"):
        SPLIT([ROW, lengths], outputs=2**16)


def test_empty_tensors_whose_other_dims_are_large() -> None:
    """NumPy allows so many bytes and no more: an intermediate of a wider type would have them."""
    cast = opmill.operator("Cast", 25)
    wide = np.zeros((2**31, 0, 2**31 - 1), np.int8)
    for to in (1, 3, 18):
        words = r"output size overflows, expected at most 2\^63-1"
        if to == 1:
            with pytest.raises(opmill.ShapeError, match=words):
                cast([wide], {"to": to})
        else:
            assert cast([wide], {"to": to})[0].shape == wide.shape
    half = np.zeros((2**31, 0, 2**30), np.float16)
    assert opset13.add(half, half).shape == half.shape
    assert opset13.non_zero(half).shape == (3, 0)
    assert opset22.max_pool(wide, kernel_shape=[1]).shape == wide.shape
    assert opset13.reduce_sum(half.view(np.int16).astype(np.float16), [0]).shape == (1, 0, 2**30)
    total = opset13.reduce_sum(np.zeros((0, 2**30, 2**30), np.float32), [0, 1, 2])
    assert total.tolist() == [[[0]]]
