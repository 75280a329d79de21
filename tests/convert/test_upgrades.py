"""Calls that a newer version computes otherwise: drawn ones, with the bits of the older version."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import checker, parser

import opmill

POOLS = {"MaxPool": (12, "y, i"), "AveragePool": (19, "y"), "LpPool": (18, "y")}


def same(
    text: str, to: int, inputs: list[Any], *, is_inferred: bool = True, rtol: float = 0
) -> None:
    """Move a model, and compare the bits of the results, or numbers within a tolerance."""
    model = parser.parse_model(text)
    done = opmill.convert(model, to)
    checker.check_model(done, full_check=is_inferred)
    wanted, found = (opmill.Model(one).run(inputs) for one in (model, done))
    for one, other in zip(wanted, found, strict=True):
        if rtol:
            np.testing.assert_allclose(one, other, rtol, strict=True)
        else:
            np.testing.assert_array_equal(one, other, strict=True)


@pytest.mark.parametrize("seed", range(14))
@pytest.mark.parametrize("name", sorted(POOLS))
def test_windows_in_the_padding_at_the_end(name: str, seed: int):
    random = np.random.default_rng(seed)
    opset, outputs = POOLS[name]
    dims = random.integers(1, 7, 2)
    kernel = random.integers(1, 3, 2)
    steps, gaps = random.integers(1, 4, 2), random.integers(1, 3, 2)
    pads = random.integers(0, 5, 4)
    rounds_up = int(random.integers(2))
    attributes = [
        f"kernel_shape = {kernel.tolist()}, strides = {steps.tolist()}",
        f"dilations = {gaps.tolist()}, pads = {pads.tolist()}, ceil_mode = {rounds_up}",
    ]
    if name == "AveragePool":
        attributes.append(f"count_include_pad = {int(random.integers(2))}")
    if name == "MaxPool":
        attributes.append(f"storage_order = {int(random.integers(2))}")
    results = ", ".join(
        f"{'int64' if one == 'i' else 'float'}[n, c, {one}h, {one}w] {one}"
        for one in outputs.split(", ")
    )
    x = random.standard_normal((2, 1, *dims)).astype(np.float32)
    same(
        f'<ir_version: 8, opset_import: ["" : {opset}]> '
        f"g (float[2, 1, {dims[0]}, {dims[1]}] x) => ({results}) "
        f"{{ {outputs} = {name}<{', '.join(attributes)}>(x) }}",
        22,
        [x],
        is_inferred=not rounds_up,
        rtol=0 if name == "MaxPool" else 1e-6,  # other sums where there are fewer windows
    )


@pytest.mark.parametrize("past", [0, 2])
@pytest.mark.parametrize("mask", ["", "1", "5, 1", "2, 1, 5, 1"])
def test_mask_that_attention_repeats(mask: str, past: int):
    random = np.random.default_rng(3)
    keys = "float[2, 3, past, 4] pk, float[2, 3, past, 4] pv," if past else ""
    shapes = [(2, 3, 5, 4), (2, 3, 4, 4), *[(2, 3, past, 4)] * (2 if past else 0)]
    inputs = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    scores = f"float[{mask}]" if mask else "float"
    dims = tuple(map(int, filter(None, mask.split(", "))))
    inputs.append(random.standard_normal(dims).astype(np.float32))
    same(
        '<ir_version: 10, opset_import: ["" : 23]> '
        f"g (float[2, 3, 5, 4] q, float[2, 3, n, 4] k, {keys} {scores} m) => "
        f"(float[2, 3, 5, 4] y) {{ y = Attention(q, k, k, m {', pk, pv' if past else ''}) }}",
        25,
        inputs,
    )


@pytest.mark.parametrize("type_", ["float", "float16", "double"])
def test_indices_that_are_no_integers(type_: str):
    indices = np.array(
        [np.nan, np.inf, -np.inf, 6e4, -6e4, -0.9, 0.9, -1, -1.5, -4, 3.9, 4], "d"
    ).astype({"float": "f", "float16": "e", "double": "d"}[type_])
    for opset, to in ((9, 11), (11, 9)):
        same(
            f'<ir_version: 8, opset_import: ["" : {opset}]> '
            f"g ({type_}[n] x) => (float[n, 4] y) "
            "<int64 depth = {4}, float[2] values = {1, 2}>"
            "{ y = OneHot(x, depth, values) }",
            to,
            [indices],
        )


@pytest.mark.parametrize("opset", [7, 9])
def test_statistics_of_a_batch(opset: int):
    random = np.random.default_rng(5)
    spatial = "spatial = 0, " if opset == 7 else ""
    dims = "3, 4" if opset == 7 else "3"
    x = random.standard_normal((5, 3, 4)).astype(np.float32)
    others = [random.random((3, 4) if opset == 7 else 3).astype(np.float32) for _ in range(4)]
    same(
        f'<ir_version: 8, opset_import: ["" : {opset}]> '
        f"g (float[n, 3, 4] x, float[{dims}] s, float[{dims}] b, float[{dims}] m, "
        f"float[{dims}] v) => (float[n, 3, 4] y, float[{dims}] m1, float[{dims}] v1, "
        f"float[{dims}] m2, float[{dims}] v2) "
        f"{{ y, m1, v1, m2, v2 = BatchNormalization<{spatial}momentum = 0.75>(x, s, b, m, v) }}",
        17,
        [x, *others],
    )


@pytest.mark.parametrize("to", [19, 24])
def test_infinities_in_a_type_without_them(to: int):
    values = np.array([np.inf, -np.inf, np.nan, 3e4, 7e4, -1e9, 0.3, -0.0], np.float32)
    for saturate in (0, 1):
        same(
            f'<ir_version: 10, opset_import: ["" : {43 - to}]> g (float[n] x) => (float[n] y) '
            f"{{ z = Cast<to = 20, saturate = {saturate}>(x) y = Cast<to = 1>(z) }}",
            to,
            [values],
        )


def test_logarithms_of_sums_of_integers():
    x = np.array([[0, 0], [-3, 1], [8, 12], [1, 0]], np.int32)
    for axes in ("1", "0", "-1, 0"):
        same(
            '<ir_version: 10, opset_import: ["" : 18]> g (int32[4, 2] x) => (int32[p, q] y) '
            f"<int64[{axes.count(',') + 1}] axes = {{{axes}}}> {{ y = ReduceLogSum(x, axes) }}",
            28,
            [x],
        )


@pytest.mark.parametrize("lengths", [[3, 1], [2, 0], [0, 0]])
@pytest.mark.parametrize("backwards", [0, 1])
def test_sequences_that_are_shorter_than_their_axis(lengths: list[int], backwards: int):
    model = parser.parse_model(
        '<ir_version: 4, opset_import: ["" : 8]> g (float[2, 2] s, float[2, 3, 2] x) => '
        f"(float[2, 2] a, float[2, 3, 2] b) <int64[2] n = {{{lengths[0]}, {lengths[1]}}}> "
        f"{{ a, b = Scan<num_scan_inputs = 1, directions = [{backwards}],"
        "body = e (float[2] p, float[2] q) => (float[2] r, float[2] u)"
        "{ r = Add(p, q) u = Identity(r) }>(n, s, x) }"
    )
    done = opmill.convert(model, 13)
    checker.check_model(done, full_check=True)
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    total, sums = opmill.Model(done).run([np.ones((2, 2), np.float32), x])
    for row, length in enumerate(lengths):
        read = x[row, :length][::-1] if backwards else x[row, :length]
        np.testing.assert_array_equal(total[row], 1 + read.sum(0))
        np.testing.assert_array_equal(sums[row, :length], 1 + read.cumsum(0))
        np.testing.assert_array_equal(sums[row, length:], 0)
