"""The elements of windows, against windows that are cut out of a padded array."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from opmill._convert.facts import Refusal
from opmill._convert.windows import windows


@pytest.mark.parametrize(
    ("dims", "counts", "kernel_shape", "strides", "dilations", "pads"),
    [
        ([5], [3], [3], None, None, None),
        ([5], [3], [2], [2], None, [1, 1]),
        ([6], [4], [2], None, [2], None),
        ([4, 5], [2, 3], [3, 2], [2, 2], [1, 2], [1, 1, 0, 1]),
    ],
)
def test_windows_of_a_padded_array(dims, counts, kernel_shape, strides, dilations, pads):
    rank = len(dims)
    written = pads or [0] * (2 * rank)
    widths = list(zip(written[:rank], written[rank:], strict=True))
    padded = np.pad(np.arange(np.prod(dims)).reshape(dims), widths, constant_values=-1)
    steps, gaps = strides or [1] * rank, dilations or [1] * rank
    expected = [
        padded[
            tuple(
                slice(at * step, at * step + (size - 1) * gap + 1, gap)
                for at, step, size, gap in zip(window, steps, kernel_shape, gaps, strict=True)
            )
        ]
        .ravel()
        .tolist()
        for window in product(*map(range, counts))
    ]
    assert windows(dims, counts, kernel_shape, strides, dilations, pads, "NOTSET") == expected


def test_elements_behind_the_padding():
    # ceil_mode adds a window that reaches beyond the padding.
    assert windows([4], [3], [2], [2], None, [0, 1], "NOTSET") == [[0, 1], [2, 3], [-1, -2]]


@pytest.mark.parametrize(
    ("auto_pad", "expected"),
    [
        ("SAME_UPPER", [[0, 1], [2, 3], [4, -1]]),
        ("SAME_LOWER", [[-1, 0], [1, 2], [3, 4]]),
    ],
)
def test_padding_that_keeps_sizes(auto_pad, expected):
    assert windows([5], [3], [2], [2], None, None, auto_pad) == expected


def test_no_windows_and_too_many():
    for counts in ([0], [1 << 22]):
        with pytest.raises(Refusal, match="have no elements, or more than"):
            windows([5], counts, [2], None, None, None, "NOTSET")
