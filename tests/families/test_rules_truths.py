"""The emitted rules of some families against what comes from outside: NumPy, and tables by hand."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import rules_executors as executors
from rules_reference import Outcome
from rules_values import Given


def test_expand_is_numpys_broadcasting() -> None:
    rules, rng = executors.generated("expand.rules"), random.Random(1)
    agreed: Counter[bool] = Counter()
    for _ in range(3000):
        shape = tuple(rng.randint(0, 3) for _ in range(rng.randint(0, 5)))
        wanted = tuple(rng.choice((1, rng.randint(0, 3))) for _ in range(rng.randint(0, 5)))
        inputs = [Given("input", "float", shape), Given("shape", "int64", (len(wanted),), wanted)]
        try:
            broadcast = {"output": [np.broadcast_shapes(shape, wanted)]}
        except ValueError:
            broadcast = None
        done = executors.run(rules, inputs, {})
        assert done.shapes == broadcast
        assert (done.error == "ShapeError") is (broadcast is None)
        agreed[broadcast is None] += 1
    assert min(agreed.values()) > 300


def test_two_inputs_are_broadcast_as_numpy_does_it() -> None:
    rules, rng = executors.generated("elementwise_binary.rules_multidirectional"), random.Random(2)
    agreed: Counter[bool] = Counter()
    for _ in range(3000):
        shapes = [
            tuple(rng.choice((1, 2, 2, 3, 0)) for _ in range(rng.randint(0, 4))) for _ in range(2)
        ]
        inputs = [Given(name, "float", shape) for name, shape in zip("AB", shapes, strict=True)]
        try:
            broadcast = {"C": [np.broadcast_shapes(*shapes)]}
        except ValueError:
            broadcast = None
        done = executors.run(rules, inputs, {})
        assert done.shapes == broadcast
        assert (done.error == "ShapeError") is (broadcast is None)
        agreed[broadcast is None] += 1
    assert min(agreed.values()) > 300


NEGATIVE = "shape[0] is {}, expected at least 0 (1 keeps a dim of the input)"
EXPAND = [
    # the input's shape, the values of shape, the output's shape or the message
    ((3, 1), (2, 1, 6), (2, 3, 6)),
    ((2, 3), (3,), (2, 3)),
    ((2, 3), (1,), (2, 3)),
    ((2, 3), (), (2, 3)),
    ((2, 1, 3, 1), (1, 4, 1, 2), (2, 4, 3, 2)),
    ((), (), ()),
    ((), (1,), (1,)),
    ((), (2, 3), (2, 3)),
    ((), (0,), (0,)),
    ((1,), (0,), (0,)),
    ((3, 1), (3, 0), (3, 0)),
    ((0,), (1,), (0,)),
    ((0,), (0,), (0,)),
    ((0, 1), (2, 1, 4), (2, 0, 4)),
    ((2,) * 9, (2,) * 9, (2,) * 9),
    ((1,), (1, 1), (1, 1)),
    (
        (0,),
        (3,),
        "shape[0] is 3, expected 1 or 0 (input.shape[0])",
    ),
    (
        (3,),
        (0,),
        "shape[0] is 0, expected 1 or 3 (input.shape[0])",
    ),
    (
        (3,),
        (2,),
        "shape[0] is 2, expected 1 or 3 (input.shape[0])",
    ),
    (
        (2,),
        (4,),
        "shape[0] is 4, expected 1 or 2 (input.shape[0])",
    ),
    (
        (4, 1),
        (2, 1, 3, 5),
        "shape[2] is 3, expected 1 or 4 (input.shape[0])",
    ),
    ((1,), (-1,), NEGATIVE.format(-1)),
    ((3,), (-1, 3), NEGATIVE.format(-1)),
    ((), (-1,), NEGATIVE.format(-1)),
    ((1, 1), (-2, 0), NEGATIVE.format(-2)),
    ((1,), (-(2**63),), NEGATIVE.format(-(2**63))),
    ((1,), (1,) * 65, "shape has 65 values, expected at most 64"),
]


@pytest.mark.parametrize(("shape", "wanted", "result"), EXPAND)
def test_expand(shape: tuple[int, ...], wanted: tuple[int, ...], result: object) -> None:
    inputs = [Given("input", "float", shape), Given("shape", "int64", (len(wanted),), wanted)]
    judge(executors.run(executors.generated("expand.rules"), inputs, {}), "output", result)


TILE = [
    ((2, 3), (2, 2), (4, 6)),
    ((2, 1, 3), (1, 2, 1), (2, 2, 3)),
    ((2, 3), (0, 2), (0, 6)),
    ((0, 3), (5, 2), (0, 6)),
    ((0, 3), (2**62, 2), (0, 6)),
    ((0, 3), (1, 2**40), (0, 3298534883328)),
    ((0, 3), (1, 2**62), "output size overflows, expected at most 2^63-1"),
    ((), (), ()),
    ((), (2,), "repeats has 1 value, expected 0 (the rank of input)"),
    ((2, 2), (2,), "repeats has 1 value, expected 2 (the rank of input)"),
    ((2,), (2, 2), "repeats has 2 values, expected 1 (the rank of input)"),
    ((2,), (-1,), "repeats[0] is -1, expected at least 0"),
    ((2, 2), (-1, -2), "repeats[0] is -1, expected at least 0"),
    ((2, 2), (0, -1), "repeats[1] is -1, expected at least 0"),
    ((0, 2), (-1, 1), "repeats[0] is -1, expected at least 0"),
    ((2, 2), (2**62, 0), "output size overflows, expected at most 2^63-1"),
    ((2, 2), (2**62, 2**62), "output size overflows, expected at most 2^63-1"),
]


@pytest.mark.parametrize(("shape", "repeats", "result"), TILE)
def test_tile(shape: tuple[int, ...], repeats: tuple[int, ...], result: object) -> None:
    inputs = [Given("input", "float", shape), Given("repeats", "int64", (len(repeats),), repeats)]
    judge(executors.run(executors.generated("tile.rules_all_axes"), inputs, {}), "output", result)


def test_ranks_of_the_second_input() -> None:
    for rule, name in (("expand.rules", "shape"), ("tile.rules_all_axes", "repeats")):
        for shape, values in (((), (3,)), ((1, 2), (2, 3))):
            inputs = [Given("input", "float", (2,)), Given(name, "int64", shape, values)]
            done = executors.run(executors.generated(rule), inputs, {})
            judge(done, "output", f"{name} has rank {len(shape)}, expected 1")


INTEGER = "{} is {}, expected an integer"
TILE_ONE_AXIS = [
    # the input's shape, tiles, axis, the output's shape and the repeats, or the message
    ((2, 3), 2.0, 1.0, ((2, 6), (1, 2))),
    ((2, 3, 4, 5), 3.0, -1.0, ((2, 3, 4, 15), (1, 1, 1, 3))),
    ((2, 3), 2.0, -2.0, ((4, 3), (2, 1))),
    ((2, 3), 0.0, 1.0, ((2, 0), (1, 0))),
    ((2, 3), -0.0, 1.0, ((2, 0), (1, 0))),
    ((2, 3), 2.5, 1.0, INTEGER.format("tiles", "2.5")),
    ((2, 3), float("nan"), 1.0, INTEGER.format("tiles", "nan")),
    ((2, 3), float("inf"), 1.0, INTEGER.format("tiles", "inf")),
    ((2, 3), 2.0**63, 1.0, INTEGER.format("tiles", "9.22337204e+18")),
    ((2, 3), 2.0, 0.5, INTEGER.format("axis", "0.5")),
    ((2, 3), -1.0, 1.0, "tiles is -1, expected at least 0"),
    ((2, 3), 2.0, 2.0, "axis is 2, expected -2 to 1"),
    ((2, 3), 2.0, -3.0, "axis is -3, expected -2 to 1"),
    ((), 2.0, 0.0, "axis is 0, expected an input of rank 1 or more"),
    ((2, 3), 2.0**62, 1.0, "output size overflows, expected at most 2^63-1"),
]


@pytest.mark.parametrize(("shape", "tiles", "axis", "result"), TILE_ONE_AXIS)
def test_tile_one_axis(shape: tuple[int, ...], tiles: float, axis: float, result: Any) -> None:
    inputs = [
        Given("input", "float", shape),
        Given("tiles", "float", (1,), (tiles,)),
        Given("axis", "float", (), (axis,)),
    ]
    done = executors.run(executors.generated("tile.rules_one_axis"), inputs, {})
    if isinstance(result, str):
        judge(done, "output", result)
    else:
        judge(done, "output", result[0])
        assert done.plan == {"repeats": result[1]}


@pytest.mark.parametrize(
    ("shape", "values"), [((0,), ()), ((2,), (1.0, 1.0)), ((1, 2), (1.0, 1.0))]
)
def test_tile_one_axis_wants_one_value(shape: tuple[int, ...], values: tuple[float, ...]) -> None:
    one = Given("axis", "float", (1,), (1.0,))
    inputs = [Given("input", "float", (2, 3)), Given("tiles", "float", shape, values), one]
    listed = ", ".join(map(str, shape))
    done = executors.run(executors.generated("tile.rules_one_axis"), inputs, {})
    judge(done, "output", f"tiles has shape [{listed}], expected one value")


# X [1, 1, 4] and W [1, 1, 3] but for what is said; the output's length and the begin crop.
CONV_TRANSPOSE: list[tuple[dict[str, Any], object]] = [
    ({}, (6, 0)),
    ({"strides": [2]}, (9, 0)),
    ({"strides": [2], "output_padding": [1]}, (10, 0)),
    ({"strides": [2], "pads": [1, 0]}, (8, 1)),
    ({"strides": [2], "auto_pad": "SAME_UPPER"}, (8, 0)),
    ({"strides": [2], "auto_pad": "SAME_LOWER"}, (8, 1)),
    ({"strides": [2], "auto_pad": "VALID"}, (9, 0)),
    ({"strides": [2], "output_shape": [8]}, (8, 1)),
    ({"strides": [2], "output_shape": [8], "auto_pad": "VALID"}, (8, 1)),
    ({"strides": [2], "output_shape": [8], "auto_pad": "SAME_LOWER"}, (8, 1)),
    ({"strides": [2], "output_shape": [8], "auto_pad": "SAME_UPPER"}, (8, 0)),
    ({"strides": [2], "output_shape": [6]}, (6, 2)),
    ({"strides": [2], "output_shape": [6], "auto_pad": "SAME_UPPER"}, (6, 1)),
    ({"strides": [2], "output_shape": [9], "output_padding": [1]}, (9, 1)),
    ({"strides": [2], "output_shape": [10]}, (10, 0)),
    ({"strides": [2], "output_shape": [10], "auto_pad": "SAME_UPPER"}, (10, 0)),
    ({"strides": [2], "output_padding": [1], "auto_pad": "SAME_UPPER"}, (8, 1)),
    ({"strides": [3], "dilations": [2], "output_padding": [2]}, (16, 0)),
    ({"W": (1, 1, 2), "strides": [3], "auto_pad": "SAME_UPPER"}, (11, 0)),
    ({"W": (1, 1, 1), "strides": [4], "auto_pad": "SAME_UPPER"}, (13, 0)),
    ({"dilations": [2], "output_padding": [1]}, (9, 0)),
    ({"X": (1, 1, 0)}, (2, 0)),
    ({"X": (1, 1, 0), "strides": [2]}, (1, 0)),
    ({"X": (0, 1, 4)}, (6, 0)),
    ({"W": (1, 0, 3)}, (6, 0)),
    ({"X": (1, 0, 4), "W": (0, 5, 3)}, (6, 0)),
    (
        {"X": (1, 1, 0), "auto_pad": "SAME_UPPER"},
        "output size is 0 on axis 2, expected at least 1",
    ),
    (
        {"X": (1, 1, 0), "output_shape": [2]},
        "axis 2 of X has size 0, expected at least 1 beside output_shape",
    ),
    (
        {"X": (1, 1, 3), "W": (1, 1, 2), "pads": [2, 2]},
        "output size is 0 on axis 2, expected at least 1",
    ),
    ({"pads": [4, 4]}, "output size is -2 on axis 2, expected at least 1"),
    ({"pads": [2**63 - 1, 2**63 - 1]}, "output size overflows, expected at most 2^63-1"),
    ({"pads": [2**62, 2**62]}, "output size overflows, expected at most 2^63-1"),
    ({"group": 1, "W": (1, 2**63 - 1, 3)}, (6, 0)),
    (
        {"X": (1, 2, 4), "group": 2, "W": (2, 2**63 - 1, 3)},
        "output size overflows, expected at most 2^63-1",
    ),
    ({"X": (1, 1)}, "X has rank 2, expected at least 3"),
    ({"W": (1, 1, 3, 3)}, "W has rank 4, expected 3 (the rank of X)"),
    ({"group": 0}, "!group is 0, expected at least 1"),
    ({"group": 2}, "!group is 2, expected a divisor of 1 (X.shape[1])"),
    ({"W": (2, 1, 3)}, "W.shape[0] is 2, expected 1 (X.shape[1])"),
    ({"B": (2,)}, "B.shape is [2], expected [1]"),
    ({"B": (1, 1)}, "B.shape is [1, 1], expected [1]"),
    ({"kernel_shape": [2]}, "!kernel_shape is [2], expected [3] (W.shape from axis 2 on)"),
    ({"kernel_shape": []}, "!kernel_shape is [], expected [3] (W.shape from axis 2 on)"),
    ({"W": (1, 1, 0)}, "W.shape[2] is 0, expected at least 1"),
    ({"strides": []}, "!strides has 0 values, expected 1"),
    ({"dilations": [1, 1]}, "!dilations has 2 values, expected 1"),
    ({"output_shape": [1, 1, 6]}, "!output_shape has 3 values, expected 1"),
    ({"pads": [1]}, "!pads has 1 value, expected 2"),
    ({"strides": [0]}, "!strides[0] is 0, expected at least 1"),
    ({"dilations": [-1]}, "!dilations[0] is -1, expected at least 1"),
    ({"pads": [0, -1]}, "!pads[1] is -1, expected at least 0"),
    ({"output_padding": [-1]}, "!output_padding[0] is -1, expected at least 0"),
    ({"output_shape": [0]}, "!output_shape[0] is 0, expected at least 1"),
    ({"auto_pad": ""}, "!auto_pad is '', expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'"),
    (
        {"auto_pad": "same"},
        "!auto_pad is 'same', expected 'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'",
    ),
    ({"auto_pad": "VALID", "pads": [0, 0]}, "!auto_pad is VALID, expected NOTSET beside pads"),
    (
        {"output_padding": [1]},
        "!output_padding[0] is 1, expected less than 1 (the larger of stride and dilation)",
    ),
    (
        {"strides": [2], "output_shape": [11]},
        "!output_shape[0] is 11, expected at most 10",
    ),
]


@pytest.mark.parametrize(("given", "result"), CONV_TRANSPOSE)
def test_conv_transpose(given: dict[str, Any], result: Any) -> None:
    shapes = {"X": (1, 1, 4), "W": (1, 1, 3), "B": None} | given
    inputs = [s and Given(name, "float", s) for name, s in list(shapes.items())[:3]]
    names = ["dilations", "kernel_shape", "output_padding", "output_shape", "pads", "strides"]
    attributes = {name: given.get(name) for name in names}
    attributes |= {"auto_pad": given.get("auto_pad", "NOTSET"), "group": given.get("group", 1)}
    done = executors.run(executors.generated("conv_transpose.rules_attributes"), inputs, attributes)
    if isinstance(result, str):
        judge(done, "Y", result)
        return
    length, begin = result
    maps = shapes["W"][1] * attributes["group"]
    judge(done, "Y", (shapes["X"][0], maps, length))
    assert done.plan == {
        "begin": (begin,),
        "strides": tuple(attributes["strides"] or (1,)),
        "dilations": tuple(attributes["dilations"] or (1,)),
        "group": attributes["group"],
    }


def judge(done: Outcome, output: str, result: object) -> None:
    """A shape, or a message; one of an attribute starts with an exclamation mark."""
    if isinstance(result, str):
        error = "AttributeValueError" if result.startswith("!") else "ShapeError"
        assert (done.error, done.message) == (error, f"Op-1: {result.removeprefix('!')}")
    else:
        assert (done.shapes, done.message) == ({output: [result]}, None)
