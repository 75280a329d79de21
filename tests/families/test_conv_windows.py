"""Conv: windows of one channel are computed four rows at a time, and other rows one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import opmill

CONV = opmill.operator("Conv", 11)

# Rows and columns of a plane: below, at and above the lanes of every vector.
SIZES = ((4, 4), (5, 7), (7, 7), (8, 13), (14, 14), (9, 16), (16, 17), (20, 33), (11, 70))


@pytest.mark.parametrize("isa", opmill.instruction_sets())
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", [3, 5])
@pytest.mark.parametrize("stride", [1, 2])
def test_rows_together_have_the_bits_of_single_rows(isa, dtype, kernel, stride):
    random = np.random.default_rng([kernel, stride])
    half = kernel // 2
    for size in SIZES:
        for pads in ((half,) * 4, (0, 1, 2, 1), (kernel,) * 4, (2, 0, 0, kernel + 3)):
            maps = int(random.integers(1, 3))
            x = random.standard_normal((2, 3, *size)).astype(dtype)
            w = random.standard_normal((3 * maps, 1, kernel, kernel)).astype(dtype)
            b = random.standard_normal(3 * maps).astype(dtype)
            x[0, 0, 1, 2], w[0] = random.choice([-0.0, 1e-44, 1.0]), 0
            strides = [stride, stride]
            top, left, bottom, right = pads
            padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
            rows = (padded.shape[2] - kernel) // stride + 1
            if rows < 1 or padded.shape[3] < kernel:
                continue
            with opmill.use_instruction_set(isa):
                (y,) = CONV([x, w, b], {"group": 3, "strides": strides, "pads": list(pads)})
                for row in range(rows):
                    part = padded[:, :, row * stride : row * stride + kernel].copy()
                    (expected,) = CONV([part, w, b], {"group": 3, "strides": strides})
                    assert y[:, :, row].tobytes() == expected[:, :, 0].tobytes(), (size, pads)
