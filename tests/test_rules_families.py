"""The rules of the first families: emitted, against the reference and against outside tables."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rules_executors as executors
import rules_reference as reference
from opmill_gen.run import default_sources
from rules_reference import Given, Outcome

SHAPE, ATTRIBUTE = "ShapeError", "AttributeValueError"
INSTANCES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    # the family, the parameters that its rule knows, and the errors that must occur
    "cast_cast": ("cast", {}, (ATTRIBUTE,)),
    "conv_transpose": ("conv_transpose", {}, (SHAPE, ATTRIBUTE)),
    "elementwise_binary_add": ("elementwise_binary", {"one_way": True}, (SHAPE, ATTRIBUTE)),
    "elementwise_binary_add_7": ("elementwise_binary", {"one_way": False}, (SHAPE,)),
    "elementwise_relu": ("elementwise", {}, ()),
    "expand": ("expand", {}, (SHAPE,)),
    "identity": ("identity", {}, ()),
    "max_pool": ("max_pool", {}, (SHAPE, ATTRIBUTE)),
    "non_zero": ("non_zero", {}, (SHAPE,)),
    "reduce_axes_reduce_sum": ("reduce_axes", {}, (SHAPE, ATTRIBUTE)),
    "reduce_reduce_sum": ("reduce", {"negative_axes": False}, (SHAPE, ATTRIBUTE)),
    "reduce_reduce_sum_11": ("reduce", {"negative_axes": True}, (SHAPE, ATTRIBUTE)),
    "tile": ("tile", {}, (SHAPE,)),
    "tile_along_axis": ("tile_along_axis", {}, (SHAPE,)),
}
"""By the name of what is generated."""
CALLS = 1500
LARGE = (2**31, 2**32, 2**62, 2**63 - 2, 2**63 - 1)
Call = tuple[list[Given | None], dict[str, Any]]


SHARED = {
    path.stem: path.read_text()
    for path in sorted((default_sources().templates / "families" / "_shared").glob("*.py"))
}


def source(family: str) -> str:
    return (default_sources().templates / "families" / family / "rules.py").read_text()


def generated(family: str) -> executors.Rules:
    rules: executors.Rules = importlib.import_module(f"opmill._families.{family}.rules").rules
    return rules


# Random and hostile calls


def dims(rng: random.Random, rank: int) -> tuple[int, ...]:
    hostile = rng.random() < 0.2
    return tuple(
        rng.choice(LARGE) if hostile and rng.random() < 0.4 else rng.randint(0, 4)
        for _ in range(rank)
    )


def rank(rng: random.Random) -> int:
    return rng.choice((0, 1, 1, 2, 2, 3, 4, 63, 64))


def counts(rng: random.Random, length: int) -> tuple[int, ...]:
    values = [rng.choice((0, 1, 1, 2, 3)) for _ in range(length)]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        if values:
            values[rng.randrange(length)] = rng.choice((*LARGE, -1, -(2**63)))
    return tuple(values)


def integers(name: str, values: tuple[int, ...], rng: random.Random) -> Given:
    """A tensor of integers; now and then of another rank, or of unknown contents."""
    if rng.random() < 0.04:
        return Given(name, "int64", (1, len(values)), values)
    if rng.random() < 0.04 and len(values) == 1:
        return Given(name, "int64", (), values)
    return Given(name, "int64", (len(values),), None if rng.random() < 0.03 else values)


def cast_call(rng: random.Random) -> Call:
    mode = rng.choice(("up", "down", "nearest", "up", "", "UP", "\n'\\", "é" * 30))
    attributes = {"to": 1, "saturate": rng.choice((0, 1, -1, *LARGE)), "round_mode": mode}
    return [Given("input", "float", dims(rng, rank(rng)))], attributes


def elementwise_call(rng: random.Random) -> Call:
    consumed = rng.choice((None, [], [0], [1, 2]))
    return [Given("X", "float", dims(rng, rank(rng)))], {"consumed_inputs": consumed}


def elementwise_binary_call(rng: random.Random) -> Call:
    """B is a stretch of A's dims, often the last ones; now and then with ones, or others."""
    a = dims(rng, rank(rng))
    first = rng.randint(0, len(a))
    last = len(a) if rng.random() < 0.6 else rng.randint(first, len(a))
    change = rng.choice((0, 0, 0.3))
    b = [rng.choice((1, 1, 2, *LARGE)) if rng.random() < change else d for d in a[first:last]]
    if rng.random() < 0.3:
        first, b = 0, list(a)
    attributes = {
        "axis": rng.choice((None, None, first, first, -1, len(a), 2**63 - 1, -(2**63))),
        "broadcast": rng.choice((0, 1, 1, 1, 1, 2, -1)),
        "consumed_inputs": rng.choice((None, [0, 1])),
    }
    return [Given("A", "float", a), Given("B", "float", tuple(b))], attributes


def identity_call(rng: random.Random) -> Call:
    return [Given("input", "float", dims(rng, rank(rng)))], {}


def expand_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    wanted = [rng.choice((dim, dim, 1, rng.randint(0, 4))) for dim in shape[-rng.randint(0, 64) :]]
    if rng.random() < 0.4:
        wanted = [*counts(rng, rng.choice((1, 2, 62))), *wanted]
    if rng.random() < 0.1:
        wanted = list(counts(rng, rng.choice((0, 1, 2, 3, 64, 65, 200))))
    return [Given("input", "float", shape), integers("shape", tuple(wanted), rng)], {}


def non_zero_call(rng: random.Random) -> Call:
    """One of five has two huge dims, so that the bound leaves int64."""
    shape = list(dims(rng, rank(rng)))
    if len(shape) > 1 and rng.random() < 0.2:
        shape[:2] = [rng.choice(LARGE), rng.choice(LARGE)]
    return [Given("X", "float", tuple(shape))], {}


def some_axes(rng: random.Random, rank: int) -> tuple[int, ...]:
    """Some axes of such a tensor, mostly each once; now and then from the end, or none of its."""
    axes = [axis for axis in range(rank) if rng.random() < 0.5]
    if rng.random() < 0.4:
        axes = [axis - rank if rng.random() < 0.5 else axis for axis in axes]
    rng.shuffle(axes)
    if rng.random() < 0.2:
        odd = (rank, -rank, -rank - 1, 0, -1, *LARGE, -(2**63))
        axes.insert(rng.randint(0, len(axes)), rng.choice(odd))
    return tuple(axes)


def flag(rng: random.Random) -> int:
    return rng.choice((0, 1)) if rng.random() < 0.95 else rng.choice((2, -1, 2**63 - 1))


def reduce_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axes = list(some_axes(rng, len(shape))) if rng.random() < 0.8 else None
    return [Given("data", "float", shape)], {"axes": axes, "keepdims": flag(rng)}


def reduce_axes_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axes = integers("axes", some_axes(rng, len(shape)), rng) if rng.random() < 0.8 else None
    attributes = {"keepdims": flag(rng), "noop_with_empty_axes": flag(rng)}
    return [Given("data", "float", shape), axes], attributes


def tile_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    length = len(shape) if rng.random() < 0.85 else rank(rng)
    return [Given("input", "float", shape), integers("repeats", counts(rng, length), rng)], {}


def tile_along_axis_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))

    def one(name: str, usual: float) -> Given:
        odd = (0.5, -0.0, -1.0, float("nan"), float("inf"), 2.0**62, 2.0**63, -(2.0**63), 1e300)
        value = rng.choice(odd) if rng.random() < 0.3 else usual
        held = rng.choice(((), (1,), (1,), (1, 1)))
        if rng.random() < 0.05:
            return Given(name, "float", (2,), (value, value))
        return Given(name, "float", held, None if rng.random() < 0.03 else (value,))

    axis = float(rng.randint(-len(shape) - 1, len(shape)))
    return [
        Given("input", "float", shape),
        one("tiles", float(rng.randint(-1, 4))),
        one("axis", axis),
    ], {}


def conv_transpose_call(rng: random.Random) -> Call:
    spatial = rng.choice((1, 1, 2, 3, 62))
    group = rng.choice((1, 1, 2, 3))
    channels = group * rng.randint(0, 3)
    each = rng.randint(0, 3)
    small = rng.random() < 0.75
    length = [rng.randint(0 if small else 1, 5) for _ in range(spatial)]
    kernel = [rng.randint(1, 4) for _ in range(spatial)]
    x = [rng.randint(0, 3), channels, *length]
    w = [channels, each, *kernel]
    attributes: dict[str, Any] = {
        "auto_pad": rng.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
        "group": group,
        "dilations": [rng.randint(1, 3) for _ in range(spatial)],
        "strides": [rng.randint(1, 3) for _ in range(spatial)],
        "kernel_shape": list(kernel),
        "output_padding": [rng.choice((0, 0, 0, 1)) for _ in range(spatial)],
        "output_shape": [rng.randint(1, 9) for _ in range(spatial)],
        "pads": [rng.choice((0, 0, 1)) for _ in range(2 * spatial)],
    }
    for name in ("dilations", "kernel_shape", "output_padding", "output_shape", "pads", "strides"):
        if rng.random() < (0.85 if name == "output_shape" else 0.5):
            attributes[name] = None
    b: Given | None = None
    if rng.random() < 0.4:
        b = Given("B", "float", (each * group,))
    if not small:
        spoil(rng, [x, w], attributes)
    inputs = [Given("X", "float", tuple(x)), Given("W", "float", tuple(w)), b]
    return inputs, attributes


def max_pool_call(rng: random.Random) -> Call:
    spatial = rng.choice((1, 1, 2, 3, 62))
    small = rng.random() < 0.75
    x = [rng.randint(0, 3), rng.randint(0, 3), *(rng.randint(1, 9) for _ in range(spatial))]
    attributes: dict[str, Any] = {
        "auto_pad": rng.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
        "ceil_mode": rng.choice((0, 1, 1) if small else (0, 1, 2, -1)),
        "dilations": [rng.randint(1, 3) for _ in range(spatial)],
        "kernel_shape": [rng.choice((1, 1, 2, 3)) for _ in range(spatial)],
        "pads": [rng.choice((0, 0, 1, 4)) for _ in range(2 * spatial)],
        "storage_order": rng.choice((0, 1) if small else (0, 1, 2**40)),
        "strides": [rng.randint(1, 4) for _ in range(spatial)],
    }
    for name in ("dilations", "pads", "strides"):
        if rng.random() < 0.5:
            attributes[name] = None
    if not small:
        spoil(rng, [x], attributes)
    return [Given("X", "float", tuple(x))], attributes


def spoil(rng: random.Random, shapes: list[list[int]], attributes: dict[str, Any]) -> None:
    """Make one or two things wrong, or huge."""
    for _ in range(rng.choice((1, 1, 2))):
        lists = [value for value in attributes.values() if isinstance(value, list)]
        values = rng.choice([*shapes, *lists])
        kind = rng.randrange(6)
        if kind == 0 and values:
            values[rng.randrange(len(values))] = rng.choice((0, *LARGE))
        elif kind == 1 and lists:
            rng.choice(lists)[:1] = [rng.choice((-1, 0, -(2**63), *LARGE))]
        elif kind == 2 and lists:
            rng.choice(lists).append(1)
        elif kind == 3 and values:
            del values[-1]
        elif kind == 4 and "group" in attributes:
            attributes["group"] = rng.choice((0, -1, 5, 2**63 - 1, -(2**63)))
        else:
            attributes["auto_pad"] = rng.choice(("", "same", "NOTSET ", "\n'\\", "é" * 30, "VALID"))


CALL: dict[str, Callable[[random.Random], Call]] = {
    "cast": cast_call,
    "conv_transpose": conv_transpose_call,
    "elementwise": elementwise_call,
    "elementwise_binary": elementwise_binary_call,
    "expand": expand_call,
    "identity": identity_call,
    "max_pool": max_pool_call,
    "non_zero": non_zero_call,
    "reduce": reduce_call,
    "reduce_axes": reduce_axes_call,
    "tile": tile_call,
    "tile_along_axis": tile_along_axis_call,
}


def test_every_generated_rule_is_run():
    """Those of instances that share a rule and its constants are the same but for their names."""
    folder = default_sources().templates.parent / "generated" / "python" / "opmill" / "_families"
    texts = {path.parent.name: path.read_text() for path in folder.glob("*/rules.py")}
    run = {body(texts[name]) for name in INSTANCES}
    assert {body(text) for text in texts.values()} == run


def body(text: str) -> str:
    """A module without its first lines, which say what it was generated from."""
    return text.partition('"""')[2]


@pytest.mark.parametrize("instance", INSTANCES)
def test_executors_agree(instance: str) -> None:
    family, constants, errors = INSTANCES[instance]
    text = source(family)
    program = executors.program(text, constants, SHARED)
    plain, proving, committed = (
        executors.emitted(program),
        executors.proving(program),
        generated(instance),
    )
    rng = random.Random(instance)
    seen: Counter[str] = Counter()
    for _ in range(CALLS):
        inputs, attributes = CALL[family](rng)
        wanted = reference.run(text, inputs, attributes, constants=constants, shared=SHARED)
        for rules in (plain, proving, committed):
            assert executors.run(rules, inputs, attributes) == wanted, (inputs, attributes)
        seen[wanted.error or "shapes"] += 1
    assert seen["shapes"] > CALLS / 10
    for error in errors:
        assert seen[error] > CALLS / 30, error
    assert not seen["IndexError"], "a rule must look at what it takes"


# Outside truths


def test_expand_is_numpys_broadcasting() -> None:
    rules, rng = generated("expand"), random.Random(1)
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
    rules, rng = generated("elementwise_binary_add_7"), random.Random(2)
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


NEGATIVE = "shape[0] = {} is negative (use 1 to keep an input dimension)"
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
        "cannot broadcast input dim 0 with shape value 3 at output axis 0; input [0], shape [3]",
    ),
    (
        (3,),
        (0,),
        "cannot broadcast input dim 3 with shape value 0 at output axis 0; input [3], shape [0]",
    ),
    (
        (3,),
        (2,),
        "cannot broadcast input dim 3 with shape value 2 at output axis 0; input [3], shape [2]",
    ),
    (
        (2,),
        (4,),
        "cannot broadcast input dim 2 with shape value 4 at output axis 0; input [2], shape [4]",
    ),
    (
        (4, 1),
        (2, 1, 3, 5),
        "cannot broadcast input dim 4 with shape value 3 at output axis 2; "
        "input [4, 1], shape [2, 1, 3, 5]",
    ),
    ((1,), (-1,), NEGATIVE.format(-1)),
    ((3,), (-1, 3), NEGATIVE.format(-1)),
    ((), (-1,), NEGATIVE.format(-1)),
    ((1, 1), (-2, 0), NEGATIVE.format(-2)),
    ((1,), (-(2**63),), NEGATIVE.format(-(2**63))),
    ((1,), (1,) * 65, "the output would have rank 65, above the maximum of 64"),
]


@pytest.mark.parametrize(("shape", "wanted", "result"), EXPAND)
def test_expand(shape: tuple[int, ...], wanted: tuple[int, ...], result: object) -> None:
    inputs = [Given("input", "float", shape), Given("shape", "int64", (len(wanted),), wanted)]
    judge(executors.run(generated("expand"), inputs, {}), "output", result)


TILE = [
    ((2, 3), (2, 2), (4, 6)),
    ((2, 1, 3), (1, 2, 1), (2, 2, 3)),
    ((2, 3), (0, 2), (0, 6)),
    ((0, 3), (5, 2), (0, 6)),
    ((0, 3), (2**62, 2), (0, 6)),
    ((0, 3), (1, 2**40), (0, 3298534883328)),
    ((0, 3), (1, 2**62), "output size overflows"),
    ((), (), ()),
    ((), (2,), "repeats has 1 values but input has rank 0"),
    ((2, 2), (2,), "repeats has 1 values but input has rank 2"),
    ((2,), (2, 2), "repeats has 2 values but input has rank 1"),
    ((2,), (-1,), "repeats[0] = -1 is negative"),
    ((2, 2), (-1, -2), "repeats[0] = -1 is negative"),
    ((2, 2), (0, -1), "repeats[1] = -1 is negative"),
    ((0, 2), (-1, 1), "repeats[0] = -1 is negative"),
    ((2, 2), (2**62, 0), "output size overflows"),
    ((2, 2), (2**62, 2**62), "output size overflows"),
]


@pytest.mark.parametrize(("shape", "repeats", "result"), TILE)
def test_tile(shape: tuple[int, ...], repeats: tuple[int, ...], result: object) -> None:
    inputs = [Given("input", "float", shape), Given("repeats", "int64", (len(repeats),), repeats)]
    judge(executors.run(generated("tile"), inputs, {}), "output", result)


def test_ranks_of_the_second_input() -> None:
    for family, name in (("expand", "shape"), ("tile", "repeats")):
        for shape, values in (((), (3,)), ((1, 2), (2, 3))):
            inputs = [Given("input", "float", (2,)), Given(name, "int64", shape, values)]
            done = executors.run(generated(family), inputs, {})
            judge(done, "output", f"{name} must be 1-D, got rank {len(shape)}")


INTEGER = "{} must be an integer value, got {}"
TILE_ALONG_AXIS = [
    # the input's shape, tiles, axis, the output's shape with the axis, or the message
    ((2, 3), 2.0, 1.0, ((2, 6), 1)),
    ((2, 3, 4, 5), 3.0, -1.0, ((2, 3, 4, 15), 3)),
    ((2, 3), 2.0, -2.0, ((4, 3), 0)),
    ((2, 3), 0.0, 1.0, ((2, 0), 1)),
    ((2, 3), -0.0, 1.0, ((2, 0), 1)),
    ((2, 3), 2.5, 1.0, INTEGER.format("tiles", "2.5")),
    ((2, 3), float("nan"), 1.0, INTEGER.format("tiles", "nan")),
    ((2, 3), float("inf"), 1.0, INTEGER.format("tiles", "inf")),
    ((2, 3), 2.0**63, 1.0, INTEGER.format("tiles", "9.22337204e+18")),
    ((2, 3), 2.0, 0.5, INTEGER.format("axis", "0.5")),
    ((2, 3), -1.0, 1.0, "tiles = -1 is negative"),
    ((2, 3), 2.0, 2.0, "axis 2 out of range for rank 2"),
    ((2, 3), 2.0, -3.0, "axis -3 out of range for rank 2"),
    ((), 2.0, 0.0, "axis 0 out of range for rank 0"),
    ((2, 3), 2.0**62, 1.0, "output size overflows"),
]


@pytest.mark.parametrize(("shape", "tiles", "axis", "result"), TILE_ALONG_AXIS)
def test_tile_along_axis(shape: tuple[int, ...], tiles: float, axis: float, result: Any) -> None:
    inputs = [
        Given("input", "float", shape),
        Given("tiles", "float", (1,), (tiles,)),
        Given("axis", "float", (), (axis,)),
    ]
    done = executors.run(generated("tile_along_axis"), inputs, {})
    if isinstance(result, str):
        judge(done, "output", result)
    else:
        judge(done, "output", result[0])
        assert done.plan == {"along": result[1], "count": int(tiles)}


@pytest.mark.parametrize(
    ("shape", "values"), [((0,), ()), ((2,), (1.0, 1.0)), ((1, 2), (1.0, 1.0))]
)
def test_tile_along_axis_wants_one_value(shape: tuple[int, ...], values: tuple[float, ...]) -> None:
    one = Given("axis", "float", (1,), (1.0,))
    inputs = [Given("input", "float", (2, 3)), Given("tiles", "float", shape, values), one]
    listed = ", ".join(map(str, shape))
    done = executors.run(generated("tile_along_axis"), inputs, {})
    judge(done, "output", f"tiles must hold one value, got shape [{listed}]")


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
        "computed output size 0 on axis 0 is not positive",
    ),
    ({"X": (1, 1, 0), "output_shape": [2]}, "output_shape needs a non-empty spatial axis 0"),
    (
        {"X": (1, 1, 3), "W": (1, 1, 2), "pads": [2, 2]},
        "computed output size 0 on axis 0 is not positive",
    ),
    ({"pads": [4, 4]}, "computed output size -2 on axis 0 is not positive"),
    ({"pads": [2**63 - 1, 2**63 - 1]}, "output size overflows"),
    ({"pads": [2**62, 2**62]}, "output size overflows"),
    ({"group": 1, "W": (1, 2**63 - 1, 3)}, (6, 0)),
    ({"X": (1, 2, 4), "group": 2, "W": (2, 2**63 - 1, 3)}, "output size overflows"),
    ({"X": (1, 1)}, "X must have rank >= 3, got 2"),
    ({"W": (1, 1, 3, 3)}, "W rank 4 differs from X rank 3"),
    ({"group": 0}, "!group must be >= 1, got 0"),
    ({"group": 2}, "!1 input channels are not divisible by group 2"),
    ({"W": (2, 1, 3)}, "W.shape[0] = 2 must equal the 1 input channels"),
    ({"B": (2,)}, "B must have shape [1], got [2]"),
    ({"B": (1, 1)}, "B must have shape [1], got [1, 1]"),
    ({"kernel_shape": [2]}, "!kernel_shape [2] does not match W spatial shape [3]"),
    ({"kernel_shape": []}, "!kernel_shape [] does not match W spatial shape [3]"),
    ({"W": (1, 1, 0)}, "kernel dims must be >= 1, got [0]"),
    ({"strides": []}, "!strides has 0 values, expected 1"),
    ({"dilations": [1, 1]}, "!dilations has 2 values, expected 1"),
    ({"output_shape": [1, 1, 6]}, "!output_shape has 3 values, expected 1"),
    ({"pads": [1]}, "!pads has 1 values, expected 2"),
    ({"strides": [0]}, "!strides[0] must be >= 1, got 0"),
    ({"dilations": [-1]}, "!dilations[0] must be >= 1, got -1"),
    ({"pads": [0, -1]}, "!pads[1] must be >= 0, got -1"),
    ({"output_padding": [-1]}, "!output_padding[0] must be >= 0, got -1"),
    ({"output_shape": [0]}, "!output_shape[0] must be >= 1, got 0"),
    ({"auto_pad": ""}, "!auto_pad '' is not NOTSET, SAME_UPPER, SAME_LOWER or VALID"),
    ({"auto_pad": "same"}, "!auto_pad 'same' is not NOTSET, SAME_UPPER, SAME_LOWER or VALID"),
    ({"auto_pad": "VALID", "pads": [0, 0]}, "!pads cannot be combined with auto_pad VALID"),
    (
        {"output_padding": [1]},
        "!output_padding[0] = 1 must be less than max(stride 1, dilation 1)",
    ),
    (
        {"strides": [2], "output_shape": [11]},
        "!output_shape[0] = 11 exceeds the reachable size 9",
    ),
]


@pytest.mark.parametrize(("given", "result"), CONV_TRANSPOSE)
def test_conv_transpose(given: dict[str, Any], result: Any) -> None:
    shapes = {"X": (1, 1, 4), "W": (1, 1, 3), "B": None} | given
    inputs = [s and Given(name, "float", s) for name, s in list(shapes.items())[:3]]
    names = ["dilations", "kernel_shape", "output_padding", "output_shape", "pads", "strides"]
    attributes = {name: given.get(name) for name in names}
    attributes |= {"auto_pad": given.get("auto_pad", "NOTSET"), "group": given.get("group", 1)}
    done = executors.run(generated("conv_transpose"), inputs, attributes)
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
