"""The oracle of ConvTranspose, against golden values and against a second formulation."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import numpy as np
import pytest

from family_oracles import oracle_of
from opmill_checks.case import formula, full, inf, nan, tensor
from opmill_checks.compare import assert_matches
from opmill_checks.value import Value

pytestmark = pytest.mark.operators("ConvTranspose")

conv_transpose = oracle_of("conv_transpose")

X4 = tensor("float", [[[1, 10, 100, 1000]]])
W3 = tensor("float", [[[1, 2, 3]]])
S2 = [1, 2, 13, 20, 130, 200, 1300, 2000, 3000]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({}, [1, 12, 123, 1230, 2300, 3000]),
        ({"strides": [2]}, S2),
        ({"strides": [2], "output_padding": [1]}, [*S2, 0]),
        ({"strides": [2], "pads": [1, 0]}, S2[1:]),
        ({"strides": [2], "auto_pad": "SAME_UPPER"}, S2[:8]),
        ({"strides": [2], "auto_pad": "SAME_LOWER"}, S2[1:]),
        ({"strides": [2], "auto_pad": "VALID"}, S2),
        ({"strides": [2], "output_shape": [8]}, S2[1:]),
        ({"strides": [2], "output_shape": [8], "auto_pad": "VALID"}, S2[1:]),
        ({"strides": [2], "output_shape": [8], "auto_pad": "SAME_LOWER"}, S2[1:]),
        ({"strides": [2], "output_shape": [8], "auto_pad": "SAME_UPPER"}, S2[:8]),
        ({"strides": [2], "output_shape": [8], "pads": [4, 4]}, S2[1:]),
        ({"strides": [2], "output_shape": [6]}, [13, 20, 130, 200, 1300, 2000]),
        (
            {"strides": [2], "output_shape": [6], "auto_pad": "SAME_UPPER"},
            [2, 13, 20, 130, 200, 1300],
        ),
        ({"strides": [2], "output_shape": [1]}, [130]),
        ({"strides": [2], "output_shape": [9], "output_padding": [1]}, [*S2[1:], 0]),
        ({"strides": [2], "output_shape": [10]}, [*S2, 0]),
        ({"strides": [2], "output_shape": [10], "auto_pad": "SAME_UPPER"}, [*S2, 0]),
        ({"strides": [2], "auto_pad": "SAME_UPPER", "output_padding": [1]}, S2[1:]),
        (
            {"strides": [3], "dilations": [2], "output_padding": [2]},
            [1, 0, 2, 10, 3, 20, 100, 30, 200, 1000, 300, 2000, 0, 3000, 0, 0],
        ),
        ({"dilations": [2], "output_padding": [1]}, [1, 10, 102, 1020, 203, 2030, 300, 3000, 0]),
    ],
)
def test_conv_transpose_golden(attributes: dict[str, Any], expected: list[int]) -> None:
    found = conv_transpose({"X": X4, "W": W3, "B": None}, attributes)["Y"]
    assert found == tensor("float", [[expected]])


def golden(x: Value, w: Value, b: Value | None, expected: Value, **attributes: Any) -> None:
    assert conv_transpose({"X": x, "W": w, "B": b}, attributes)["Y"] == expected


def test_conv_transpose_same_smaller_than_the_stride() -> None:
    w = tensor("float", [[[1, 2]]])
    expected = tensor("float", [[[1, 2, 0, 10, 20, 0, 100, 200, 0, 1000, 2000]]])
    golden(X4, w, None, expected, strides=[3], auto_pad="SAME_UPPER")
    golden(X4, w, None, expected, strides=[3], auto_pad="SAME_LOWER")


def test_conv_transpose_group_with_several_maps() -> None:
    x = formula("float", (1, 2, 2), start=1)
    w = formula("float", (2, 2, 2), start=1)
    rows = [[101, 104, 104], [203, 210, 208], [315, 338, 324], [421, 452, 432]]
    golden(x, w, tensor("float", [100, 200, 300, 400]), tensor("float", [rows]), group=2)


def test_conv_transpose_group_with_several_channels() -> None:
    x = formula("float", (1, 4, 2), start=1)
    w = formula("float", (4, 1, 2), start=1)
    rows = [[110, 128, 120], [274, 372, 300]]
    golden(x, w, tensor("float", [100, 200]), tensor("float", [rows]), group=2)


def test_conv_transpose_in_two_dimensions() -> None:
    x = formula("float", (1, 1, 2, 2), start=1)
    w = formula("float", (1, 1, 2, 3), start=1)
    rows = [[4, 7, 6], [13, 16, 12], [10, 17, 12], [31, 38, 24]]
    expected = tensor("float", [[rows]])
    golden(x, w, None, expected, strides=[2, 1], pads=[0, 1, 1, 0], output_padding=[1, 0])
    rows = [[1, 2, 2], [4, 6, 6], [3, 4, 4], [3, 4, 4]]
    expected = tensor("float", [[rows]])
    golden(x, full("float", (1, 1, 3, 2), 1), None, expected, strides=[2, 2], output_shape=[4, 3])


def test_conv_transpose_infinity_and_nan() -> None:
    w = tensor("float", [[[inf, 1, 2]]])
    ones = full("float", (1, 1, 3), 1)
    golden(ones, w, None, tensor("float", [[[inf, 1, inf, 1, inf, 1, 2]]]), strides=[2])
    found = conv_transpose(
        {"X": tensor("float", [[[0, 1, 0]]]), "W": w, "B": None}, {"strides": [3]}
    )
    expected = tensor("float", [[[nan, 0, 0, inf, 1, 2, nan, 0, 0]]])
    assert_matches(expected, found["Y"].to_array(), (0, 0))
    opposite = tensor("float", [[[1, -1]]])
    found = conv_transpose({"X": opposite, "W": tensor("float", [[[inf, inf]]]), "B": None}, {})
    assert_matches(tensor("float", [[[inf, nan, -inf]]]), found["Y"].to_array(), (0, 0))
    golden(tensor("float", [[[inf, 2]]]), W3, None, tensor("float", [[[inf, inf, inf, 6]]]))
    signs = tensor("float", [[[1, 0, -1]]])
    found = conv_transpose({"X": tensor("float", [[[0, inf]]]), "W": signs, "B": None}, {})
    assert_matches(tensor("float", [[[0, inf, nan, -inf]]]), found["Y"].to_array(), (0, 0))
    bias = tensor("float", [-inf])
    golden(ones, tensor("float", [[[1]]]), bias, tensor("float", [[[-inf] * 3]]))
    found = conv_transpose({"X": ones, "W": tensor("float", [[[inf]]]), "B": bias}, {})
    assert_matches(tensor("float", [[[nan] * 3]]), found["Y"].to_array(), (0, 0))


@pytest.mark.parametrize(
    ("type", "x", "w", "b", "expected"),
    [
        (
            "float16",
            [1] * 8,
            [2048, 1, 1, 1, 1, 1, 1, 1],
            None,
            [2048, 2048, 2050, 2052, 2052, 2052, 2054, 2056, 7, 6, 5, 4, 3, 2, 1],
        ),
        ("float16", [300, 300], [300, -300], None, [inf, 0, -inf]),
        ("float16", [1, 1], [2048, 1], [1], [2048, 2050, 2]),
        (
            "bfloat16",
            [1] * 8,
            [256, 1, 1, 1, 1, 1, 1, 1],
            None,
            [256, 256, 258, 260, 260, 260, 262, 264, 7, 6, 5, 4, 3, 2, 1],
        ),
        ("float", [1, 2.0**-24, 1], [1, 2.0**-24], None, [1, 2.0**-23, 1, 2.0**-24]),
        ("double", [1e308, 1e308], [10, -10], None, [inf, 0, -inf]),
        ("double", [5e-324], [0.5, 0.75, -0.25], None, [0, 5e-324, -0.0]),
    ],
)
def test_conv_transpose_rounds_once(type: str, x: Any, w: Any, b: Any, expected: Any) -> None:
    bias = None if b is None else tensor(type, b)
    golden(tensor(type, [[x]]), tensor(type, [[w]]), bias, tensor(type, [[expected]]))


@pytest.mark.parametrize(
    ("x", "w", "b", "attributes", "shape", "elements"),
    [
        ((0, 1, 4), (1, 1, 3), None, {}, (0, 1, 6), ()),
        ((1, 0, 2), (0, 2, 2), None, {}, (1, 2, 3), (0.0,) * 6),
        ((1, 0, 2), (0, 2, 2), [5, 6], {}, (1, 2, 3), (5.0,) * 3 + (6.0,) * 3),
        ((1, 1, 4), (1, 0, 3), None, {}, (1, 0, 6), ()),
        ((1, 1, 0), (1, 1, 3), [5], {}, (1, 1, 2), (5.0, 5.0)),
        ((1, 1, 0), (1, 1, 3), None, {"strides": [2]}, (1, 1, 1), (0.0,)),
    ],
)
def test_conv_transpose_zero_sized(
    x: Any, w: Any, b: Any, attributes: Any, shape: Any, elements: Any
) -> None:
    bias = None if b is None else tensor("float", b)
    expected = Value("float", shape, elements)
    golden(full("float", x, 1), full("float", w, 1), bias, expected, **attributes)


def test_conv_transpose_in_three_dimensions_without_attributes() -> None:
    x = full("float", (1, 1, 2, 1, 1), 1)
    w = formula("float", (1, 1, 1, 1, 2), start=1)
    golden(x, w, None, tensor("float", [[[[[1, 2]], [[1, 2]]]]]))


def gathered(x: Any, w: Any, b: Any, crop: Any, shape: Any, s: Any, d: Any, group: int) -> Any:
    """The definition read from the output's side, in integers."""
    rank = x.ndim - 2
    group_channels, group_maps = x.shape[1] // group, w.shape[1]
    y = np.zeros((x.shape[0], group_maps * group, *shape), np.int64)
    for n, m, *at in itertools.product(*map(range, y.shape)):
        total = 0 if b is None else int(b[m])
        for j in itertools.product(*map(range, w.shape[2:])):
            reach = [at[a] + crop[a] - j[a] * d[a] for a in range(rank)]
            if any(
                reach[a] < 0 or reach[a] % s[a] or reach[a] // s[a] >= x.shape[2 + a]
                for a in range(rank)
            ):
                continue
            i = tuple(reach[a] // s[a] for a in range(rank))
            for c in range(group_channels):
                channel = m // group_maps * group_channels + c
                total += int(x[(n, channel, *i)]) * int(w[(channel, m % group_maps, *j)])
        y[(n, m, *at)] = total
    return y


def test_conv_transpose_is_its_gather_form() -> None:
    dice = random.Random(4)
    kinds = set()
    for _ in range(150):
        rank, group = dice.randint(1, 3), dice.choice([1, 1, 2, 3])
        few = 4 if rank == 1 else 3 if rank == 2 else 2
        spatial = [dice.randint(1, few) for _ in range(rank)]
        kernel = [dice.randint(1, few) for _ in range(rank)]
        s = [dice.randint(1, 3) for _ in range(rank)]
        d = [dice.randint(1, 3) for _ in range(rank)]
        op = [dice.randrange(max(s[a], d[a])) for a in range(rank)]
        natural = [
            s[a] * (spatial[a] - 1) + op[a] + (kernel[a] - 1) * d[a] + 1 for a in range(rank)
        ]
        attributes: dict[str, Any] = {
            "strides": s,
            "dilations": d,
            "output_padding": op,
            "group": group,
        }
        kind = dice.choice(["pads", "SAME_UPPER", "SAME_LOWER", "VALID", "shape", "shape, upper"])
        kinds.add(kind)
        crop, end = [0] * rank, [0] * rank
        if kind == "pads":
            crop = [dice.randint(0, (size - 1) // 2) for size in natural]
            end = [dice.randint(0, (size - 1) // 2) for size in natural]
            attributes["pads"] = crop + end
        elif kind != "VALID":
            wanted = [spatial[a] * s[a] for a in range(rank)]
            if kind.startswith("shape"):
                wanted = [dice.randint(1, size) for size in natural]
                attributes["output_shape"] = wanted
                attributes["auto_pad"] = "SAME_UPPER" if "upper" in kind else "NOTSET"
            else:
                attributes["auto_pad"] = kind
            cropped = [max(natural[a] - wanted[a], 0) for a in range(rank)]
            small, large = [t // 2 for t in cropped], [(t + 1) // 2 for t in cropped]
            upper = attributes["auto_pad"] == "SAME_UPPER"
            crop, end = (small, large) if upper else (large, small)
        else:
            attributes["auto_pad"] = kind
        shape = [natural[a] - crop[a] - end[a] for a in range(rank)]
        x = np.array([dice.randint(-9, 9) for _ in range(2 * group * 2 * math.prod(spatial))])
        x = x.reshape(2, group * 2, *spatial)
        w = np.array([dice.randint(-9, 9) for _ in range(group * 4 * math.prod(kernel))])
        w = w.reshape(group * 2, 2, *kernel)
        b = np.arange(2 * group) * 100 if dice.random() < 0.5 else None
        inputs = {
            "X": tensor("float", x.tolist()),
            "W": tensor("float", w.tolist()),
            "B": None if b is None else tensor("float", b.tolist()),
        }
        expected = gathered(x, w, b, crop, shape, s, d, group)
        assert_matches(conv_transpose(inputs, attributes)["Y"], expected.astype(np.float32))
    assert len(kinds) == 6
