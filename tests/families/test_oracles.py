"""The oracles of the families that copy, against golden values and NumPy."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from family_oracles import oracle_of
from opmill_checks.case import bits, formula, full, tensor
from opmill_checks.compare import assert_matches
from opmill_checks.value import TYPES, Value

expand = oracle_of("expand")
tile = oracle_of("tile")


# Expand


@pytest.mark.parametrize(
    ("source", "shape", "expected"),
    [
        ([[1], [2], [3]], [2, 1, 6], [[[1] * 6, [2] * 6, [3] * 6]] * 2),
        ([[1, 2, 3], [4, 5, 6]], [3], [[1, 2, 3], [4, 5, 6]]),
        ([[1, 2, 3], [4, 5, 6]], [1], [[1, 2, 3], [4, 5, 6]]),
        ([[1, 2, 3], [4, 5, 6]], [], [[1, 2, 3], [4, 5, 6]]),
        (5, [], 5),
        (5, [1], [5]),
        (5, [2, 3], [[5, 5, 5], [5, 5, 5]]),
        (5, [0], []),
        ([7], [0], []),
        ([], [1], []),
        ([], [0], []),
        ([1], [1, 1], [[1]]),
    ],
)
def test_expand_golden(source: Any, shape: list[int], expected: Any) -> None:
    inputs = {"input": tensor("float", source), "shape": tensor("int64", shape)}
    assert expand(inputs, {})["output"] == tensor("float", expected)


def test_expand_to_zero_sized() -> None:
    inputs = {"input": full("float", (0, 1), 0), "shape": tensor("int64", [2, 1, 4])}
    assert expand(inputs, {})["output"] == Value("float", (2, 0, 4), ())


def test_expand_strings() -> None:
    inputs = {"input": tensor("string", [["x"], ["y"]]), "shape": tensor("int64", [2, 2])}
    assert expand(inputs, {})["output"] == tensor("string", [["x", "x"], ["y", "y"]])


def test_expand_is_numpys_broadcasting() -> None:
    dice = random.Random(1)
    seen = set()
    for _ in range(300):
        full_shape = [dice.choice([0, 1, 2, 3]) for _ in range(dice.randint(0, 5))]
        sides = []
        for _ in range(2):
            cut = dice.randint(0, len(full_shape))
            sides.append([dim if dice.random() < 0.6 else 1 for dim in full_shape[cut:]])
        source, shape = sides
        array = np.arange(math.prod(source), dtype=np.int32).reshape(source)
        expected = np.broadcast_to(array, np.broadcast_shapes(tuple(source), tuple(shape)))
        inputs = {"input": Value.from_array(array), "shape": tensor("int64", shape)}
        assert_matches(
            expand(inputs, {})["output"], np.ascontiguousarray(expected).reshape(expected.shape)
        )
        seen.add((len(source) < len(shape), expected.size == 0, expected.shape == array.shape))
    assert len(seen) == 8 - 2  # no input keeps its shape while its rank grows


# Tile


@pytest.mark.parametrize(
    ("source", "repeats", "expected"),
    [
        ([[0, 1, 2], [3, 4, 5]], [2, 2], [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]] * 2),
        ([[[0, 1, 2]], [[3, 4, 5]]], [1, 2, 1], [[[0, 1, 2]] * 2, [[3, 4, 5]] * 2]),
        ([0, 1], [2], [0, 1, 0, 1]),
        (5, [], 5),
    ],
)
def test_tile_golden(source: Any, repeats: list[int], expected: Any) -> None:
    inputs = {"input": tensor("float", source), "repeats": tensor("int64", repeats)}
    assert tile(inputs, {})["output"] == tensor("float", expected)


@pytest.mark.parametrize(
    ("shape", "repeats", "expected"),
    [
        ((2, 3), [0, 2], (0, 6)),
        ((0, 3), [5, 2], (0, 6)),
        ((0, 3), [2**62, 2], (0, 6)),
        ((0, 3), [1, 2**40], (0, 3 * 2**40)),
    ],
)
def test_tile_to_zero_sized(shape: Any, repeats: list[int], expected: Any) -> None:
    inputs = {"input": formula("float", shape), "repeats": tensor("int64", repeats)}
    assert tile(inputs, {})["output"] == Value("float", expected, ())


def test_tile_is_numpys_where_the_ranks_agree() -> None:
    dice = random.Random(2)
    for _ in range(200):
        shape = [dice.randint(0, 3) for _ in range(dice.randint(0, 4))]
        repeats = [dice.randint(0, 3) for _ in shape]
        array = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
        inputs = {"input": Value.from_array(array), "repeats": tensor("int64", repeats)}
        assert_matches(tile(inputs, {})["output"], np.tile(array, repeats))


@pytest.mark.parametrize("type", [name for name in TYPES if TYPES[name].kind == "float"])
def test_copies_keep_every_bit(type: str) -> None:
    width = TYPES[type].width
    patterns = [1 << width - 1, (1 << width) - 1, (1 << width) - 2, 1]
    if type == "float":
        patterns.append(0x7F800001)
    source = bits(type, patterns)
    tiled = tile({"input": source, "repeats": tensor("int64", [2])}, {})["output"]
    assert tiled.bits == tuple(patterns * 2)
    expanded = expand({"input": source, "shape": tensor("int64", [2, 1])}, {})["output"]
    assert expanded.bits == tuple(patterns * 2)


# Tile-1


@pytest.mark.parametrize("type", ["float16", "float", "double"])
@pytest.mark.parametrize("axis", [1, -1])
def test_tile_1_golden(type: str, axis: int) -> None:
    inputs = {
        "input": tensor(type, [[0, 1, 2], [3, 4, 5]]),
        "tiles": tensor(type, 2),
        "axis": tensor(type, [axis]),
    }
    expected = tensor(type, [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]])
    assert tile(inputs, {})["output"] == expected


def test_tile_1_is_numpys_along_one_axis() -> None:
    dice = random.Random(3)
    for _ in range(200):
        shape = [dice.randint(0, 3) for _ in range(dice.randint(1, 4))]
        axis, copies = dice.randrange(-len(shape), len(shape)), dice.randint(0, 3)
        array = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
        repeats = [1] * len(shape)
        repeats[axis] = copies
        inputs = {
            "input": Value.from_array(array),
            "tiles": tensor("float", [copies]),
            "axis": tensor("float", [[axis]]),
        }
        assert_matches(tile(inputs, {})["output"], np.tile(array, repeats))
