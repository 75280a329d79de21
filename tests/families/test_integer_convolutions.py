"""Integer convolutions whose weights have a zero point in the middle of their type, as networks
have them: kernels have ways of their own for these, which random zero points do not reach."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import opmill

FLOAT = np.float32
SHAPES = {
    # x, w, groups, strides, dilations, pads
    "pointwise": ((2, 9, 7, 5), (14, 9, 1, 1), 1, (1, 1), (1, 1), (0, 0, 0, 0)),
    "pointwise, many positions": ((1, 6, 20, 33), (7, 6, 1, 1), 1, (1, 1), (1, 1), (0, 0, 0, 0)),
    "pointwise, strides": ((1, 5, 9, 40), (6, 5, 1, 1), 1, (2, 2), (1, 1), (0, 0, 0, 0)),
    "pointwise, one axis": ((1, 4, 35), (3, 4, 1), 1, (1,), (1,), (0, 0)),
    "3x3": ((1, 7, 9, 11), (13, 7, 3, 3), 1, (1, 1), (1, 1), (1, 1, 1, 1)),
    "3x3, wide": ((1, 5, 6, 150), (8, 5, 3, 3), 1, (1, 1), (1, 1), (1, 1, 1, 1)),
    "3x3, strides": ((1, 5, 12, 141), (8, 5, 3, 3), 1, (2, 2), (1, 1), (1, 1, 1, 1)),
    "3x3, colours": ((1, 3, 20, 26), (32, 3, 3, 3), 1, (2, 2), (1, 1), (0, 0, 1, 1)),
    "3x3, dilations": ((1, 4, 11, 13), (6, 4, 3, 3), 1, (1, 1), (2, 3), (2, 3, 2, 3)),
    "strides beyond the kernel": ((1, 4, 17, 23), (6, 4, 2, 2), 1, (3, 4), (1, 1), (0, 1, 1, 0)),
    "far taps": ((1, 4, 4, 4), (6, 4, 2, 2), 1, (1, 1), (90, 90), (90, 0, 0, 90)),
    "grouped": ((2, 12, 8, 9), (15, 4, 3, 3), 3, (1, 1), (1, 1), (1, 1, 1, 1)),
    "depthwise": ((2, 5, 10, 12), (5, 1, 3, 3), 5, (1, 1), (1, 1), (1, 1, 1, 1)),
    "depthwise, small": ((1, 6, 7, 7), (6, 1, 3, 3), 6, (1, 1), (1, 1), (1, 1, 1, 1)),
    "depthwise, strides": ((1, 5, 15, 130), (5, 1, 3, 3), 5, (2, 2), (1, 1), (1, 1, 1, 1)),
    "depthwise, strides of 3": ((1, 3, 16, 70), (3, 1, 5, 5), 3, (3, 3), (1, 1), (2, 2, 2, 2)),
    "depthwise, 5x5": ((1, 3, 9, 140), (6, 1, 5, 5), 3, (1, 1), (1, 1), (2, 2, 2, 2)),
    "depthwise, 7x7": ((1, 3, 14, 14), (3, 1, 7, 7), 3, (2, 1), (1, 1), (3, 3, 3, 3)),
    "depthwise, dilations": ((1, 3, 12, 19), (3, 1, 3, 3), 3, (1, 2), (2, 2), (2, 2, 2, 2)),
    "depthwise, large": ((1, 2, 90, 90), (2, 1, 3, 3), 2, (1, 1), (1, 1), (1, 1, 1, 1)),
    "one axis": ((1, 5, 300), (9, 5, 9), 1, (1,), (1,), (4, 4)),
    "one axis, depthwise": ((1, 4, 5000), (4, 1, 9), 4, (1,), (1,), (4, 4)),
    "three axes": ((1, 4, 5, 6, 7), (6, 4, 3, 2, 3), 1, (1, 2, 1), (2, 1, 1), (2, 0, 1, 2, 1, 1)),
    "padding alone": ((1, 4, 1, 1), (6, 4, 3, 3), 1, (1, 1), (1, 1), (40, 40, 40, 40)),
}
TYPES = list(itertools.product((np.uint8, np.int8), repeat=2))


def sums_of(x, w, x_zero, w_zero, groups, strides, dilations, pads):
    """The sums, exactly, tap by tap."""
    axes = x.ndim - 2
    padded = np.pad(
        x.astype(np.int64) - x_zero,
        [(0, 0), (0, 0), *zip(pads[:axes], pads[axes:], strict=True)],
    )
    w = w.astype(np.int64) - w_zero
    extents = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations, strict=True)]
    sizes = [(n - e) // s + 1 for n, e, s in zip(padded.shape[2:], extents, strides, strict=True)]
    channels, maps = w.shape[1], w.shape[0] // groups
    sums = np.zeros((x.shape[0], w.shape[0], *sizes), np.int64)
    for tap in itertools.product(*map(range, w.shape[2:])):
        steps = zip(tap, dilations, sizes, strides, strict=True)
        slices = [slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in steps]
        window = padded[(slice(None), slice(None), *slices)]
        for g in range(groups):
            part = slice(g * maps, (g + 1) * maps)
            sums[:, part] += np.einsum(
                "nc...,mc->nm...",
                window[:, g * channels : (g + 1) * channels],
                w[(part, slice(None), *tap)],
            )
    return sums


def numbers(random, type_, shape):
    limits = np.iinfo(type_)
    return random.integers(limits.min, limits.max, shape, type_, endpoint=True)


@pytest.mark.parametrize("name", SHAPES)
def test_sums_are_exact(name):
    x_shape, w_shape, groups, strides, dilations, pads = SHAPES[name]
    attributes = {"group": groups, "strides": strides, "dilations": dilations, "pads": pads}
    random = np.random.default_rng(1)
    for x_type, w_type in TYPES:
        x, w = numbers(random, x_type, x_shape), numbers(random, w_type, w_shape)
        x_zero = numbers(random, x_type, ())
        w_zero = np.array(128 if w_type == np.uint8 else 0, w_type)
        sums = sums_of(x, w, int(x_zero), int(w_zero), groups, strides, dilations, pads)
        operator = opmill.operator("ConvInteger", 10)
        (y,) = operator([x, w, x_zero, w_zero], attributes)
        np.testing.assert_array_equal(y, sums)
        packed = operator.pack([x, w, x_zero, w_zero], attributes, 1)
        (y,) = operator([x, w if packed is None else packed, x_zero, w_zero], attributes)
        np.testing.assert_array_equal(y, sums)


@pytest.mark.parametrize("name", SHAPES)
def test_results_are_rounded_once(name):
    x_shape, w_shape, groups, strides, dilations, pads = SHAPES[name]
    attributes = {"group": groups, "strides": strides, "dilations": dilations, "pads": pads}
    random = np.random.default_rng(2)
    count = w_shape[0]
    for x_type, w_type in TYPES:
        x, w = numbers(random, x_type, x_shape), numbers(random, w_type, w_shape)
        x_zero, y_zero = numbers(random, x_type, ()), numbers(random, x_type, ())
        w_zero = np.full(count, 128 if w_type == np.uint8 else 0, w_type)
        bias = random.integers(-5000, 5000, count, np.int32)
        x_scale, y_scale = FLOAT(0.02), FLOAT(0.9)
        w_scale = random.uniform(0.001, 0.05, count).astype(FLOAT)
        zero = 128 if w_type == np.uint8 else 0
        line = (-1, *[1] * (len(x_shape) - 2))
        sums = sums_of(x, w, int(x_zero), zero, groups, strides, dilations, pads)
        sums = (sums + bias.reshape(line)).astype(FLOAT)
        factors = (x_scale * w_scale / y_scale).reshape(line)
        limits = np.iinfo(x_type)
        rounded = np.rint(sums * factors).astype(np.int64) + int(y_zero)
        expected = np.clip(rounded, limits.min, limits.max)
        operator = opmill.operator("QLinearConv", 10)
        inputs = [x, np.array(x_scale), x_zero, w, w_scale, w_zero, np.array(y_scale), y_zero, bias]
        inputs = [np.asarray(one) for one in inputs]
        (y,) = operator(inputs, attributes)
        np.testing.assert_array_equal(y, expected)
        packed = operator.pack(inputs, attributes, 3)
        inputs[3] = w if packed is None else packed
        (y,) = operator(inputs, attributes)
        np.testing.assert_array_equal(y, expected)
