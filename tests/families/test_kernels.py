"""Every way through the C kernels, on every instruction set that there is here.

Numbers are small whole ones, so that sums are exact in every type and order: results are compared
bit for bit. Infinities and NaNs stand at each border position of X and in each tap of W in turn:
infinity times zero is NaN where a tap meets an input, and nothing of it may show where a kernel
has padded X or W with zeros of its own.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import opmill
from family_oracles import oracle_of
from kernel_cases import CONVOLUTIONS, COPIES, Array, Convolution, Copy
from opmill_checks.value import Value

pytestmark = pytest.mark.skipif(
    "c" not in opmill.backends(), reason="the backend c is not built here"
)
of_convolutions = pytest.mark.operators("ConvTranspose")
of_copies = pytest.mark.operators("Tile")
SOURCES = Path(__file__).parents[2] / "generated" / "c" / "src"
CONV = opmill.operator("ConvTranspose", 22)
TILE = opmill.operator("Tile", 13)
TYPES = {
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
}

VECTOR_BYTES = {"baseline": 16, "neon": 16, "avx2": 32, "avx512": 64}

each_instruction_set = pytest.mark.parametrize("instruction_set", opmill.instruction_sets())
each_convolution = pytest.mark.parametrize("case", CONVOLUTIONS, ids=lambda case: case.label)
each_copy = pytest.mark.parametrize("case", COPIES, ids=lambda case: case.label)


@pytest.fixture
def _threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """So many threads, whatever this machine has."""
    before = opmill.get_threads()
    opmill.set_threads(request.param)
    yield
    opmill.set_threads(before)


on_one_thread = pytest.mark.parametrize("_threads", [1], indirect=True)
on_two_threads = pytest.mark.parametrize("_threads", [2], indirect=True)


# ConvTranspose


def inputs_of(case: Convolution) -> tuple[Array, Array, Array]:
    """X, W and B of small whole numbers, zeros among them."""
    random = np.random.default_rng(0)
    group = case.attributes.get("group", 1)
    return (
        random.integers(-1, 2, case.x).astype(np.float64),
        random.integers(-1, 2, case.w).astype(np.float64),
        random.integers(-2, 3, group * case.w[1]).astype(np.float64),
    )


def scattered(case: Convolution, x: Array, w: Array, b: Array) -> Array:
    """The definition over NumPy arrays, tap by tap; test_the_scatter_is_the_oracle judges it."""
    given, axes = case.attributes, range(len(case.x) - 2)
    strides, dilations = given.get("strides", [1] * 9), given.get("dilations", [1] * 9)
    pads, padding = given.get("pads", [0] * 9), given.get("output_padding", [0] * 9)
    group, maps = given.get("group", 1), case.w[1]
    starts = [range(0, case.w[2 + a] * dilations[a], dilations[a]) for a in axes]
    spans = [(case.x[2 + a] - 1) * strides[a] + 1 for a in axes]
    whole = [spans[a] + starts[a][-1] + padding[a] for a in axes]
    y = np.zeros((case.x[0], group, maps, *whole))
    x = x.reshape(case.x[0], group, 1, -1, *case.x[2:])
    w = w.reshape(group, -1, maps, *case.w[2:]).swapaxes(1, 2)
    with np.errstate(invalid="ignore"):
        for tap in np.ndindex(*case.w[2:]):
            at = [starts[a][tap[a]] for a in axes]
            reached = tuple(slice(at[a], at[a] + spans[a], strides[a]) for a in axes)
            weights = w[(..., *tap)].reshape(group, maps, -1, *[1] * len(axes))
            y[(..., *reached)] += (x * weights).sum(axis=3)
    inside = tuple(slice(pads[a], whole[a] - pads[len(axes) + a]) for a in axes)
    y = y[(..., *inside)]
    return y.reshape(case.x[0], group * maps, *y.shape[3:]) + b.reshape(-1, *[1] * len(axes))


def with_specials(case: Convolution) -> Iterator[tuple[Array, Array, Array]]:
    """Inputs with an infinity or a NaN at each border position of X and in each tap of W.

    The contents of one item of the batch, or the weights of one map, affect nothing else: so as
    many of them are tried in one call as there are items or maps.
    """
    x, w, b = inputs_of(case)
    channels, maps = w.shape[0] // case.attributes.get("group", 1), w.shape[1]
    wanted = list(itertools.product([np.inf, np.nan], case.borders))
    for some in batched(wanted, case.x[0]):
        special = x.copy()
        for item, (value, at) in enumerate(some):
            special[(item, item % case.x[1], *at)] = value
        yield special, w, b
    wanted = list(itertools.product([np.inf, np.nan], case.taps))
    for some in batched(wanted, maps):
        special = w.copy()
        for m, (value, tap) in enumerate(some):
            special[(m % channels, m, *tap)] = value
        yield x, special, b


def batched(items: list[Any], size: int) -> Iterator[list[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def assert_computed(
    case: Convolution,
    inputs: tuple[Array, ...],
    expected: Array,
    instruction_set: str,
    types: Iterable[str] = TYPES,
) -> None:
    """Compute in several types."""
    for name in types:
        dtype = TYPES[name]
        x, w, b = (array.astype(dtype) for array in inputs)
        wanted = expected.astype(np.float32).astype(dtype).astype(np.float64)
        with opmill.use_instruction_set(instruction_set):
            (found,) = CONV([x, w, b], case.attributes)
        np.testing.assert_array_equal(
            found.astype(np.float64), wanted, err_msg=f"{name} on {instruction_set}"
        )


def kernel_of(case: Convolution, instruction_set: str, dtype: np.dtype[Any]) -> str:
    """The half types are computed as float."""
    if instruction_set == "plain":
        return "direct"
    lanes = VECTOR_BYTES[instruction_set] // max(dtype.itemsize, 4)
    return case.narrow if case.narrow and lanes < 8 else case.kernel


@of_convolutions
@each_convolution
@each_instruction_set
@pytest.mark.usefixtures("_threads")
@on_two_threads
def test_convolution(case: Convolution, instruction_set: str) -> None:
    inputs = inputs_of(case)
    for dtype in TYPES.values():
        kernel = kernel_of(case, instruction_set, dtype)
        with opmill.use_instruction_set(instruction_set):
            explained = CONV.explain([array.astype(dtype) for array in inputs], case.attributes)
        assert explained.kernel == kernel
        assert explained.instruction_set == ("plain" if kernel == "direct" else instruction_set)
    assert_computed(case, inputs, scattered(case, *inputs), instruction_set)


@of_convolutions
@each_convolution
@pytest.mark.usefixtures("_threads")
@on_one_thread
def test_convolution_with_infinity_and_nan(case: Convolution) -> None:
    """The half types are computed as float."""
    for inputs in with_specials(case):
        expected = scattered(case, *inputs)
        for instruction_set in opmill.instruction_sets():
            assert_computed(case, inputs, expected, instruction_set, ("float", "double"))


@of_convolutions
@each_convolution
def test_the_scatter_is_the_oracle(case: Convolution) -> None:
    group = case.attributes.get("group", 1)
    few = Convolution(
        case.kernel, (2, group, *case.x[2:]), (group, 1, *case.w[2:]), case.attributes
    )
    inputs = inputs_of(few)
    inputs[0][0, 0, 0] = np.inf
    inputs[1][0, 0, -1] = np.nan
    values = dict(zip("XWB", (as_value(array) for array in inputs), strict=True))
    expected = oracle_of("conv_transpose")(values, case.attributes)["Y"]
    np.testing.assert_array_equal(
        scattered(few, *inputs), np.array(expected.items).reshape(expected.shape)
    )


def as_value(array: Array) -> Value:
    return Value("double", array.shape, tuple(array.reshape(-1).tolist()))


@of_convolutions
def test_every_kernel_of_convolutions_is_reached() -> None:
    source = (SOURCES / "families" / "conv_transpose" / "kernel.c").read_text()
    (names,) = re.findall(r"NAMES\[\] = \{(.*?)\};", source, re.DOTALL)
    assert set(re.findall(r'"(.*?)"', names)) == {case.kernel for case in CONVOLUTIONS}
    explained = CONV.explain([np.zeros((0, 1, 4)), np.zeros((1, 1, 2))], {})
    assert explained == opmill.Explanation("c", "empty", "plain", 1)


# Copies


@of_copies
@each_copy
@each_instruction_set
@pytest.mark.usefixtures("_threads")
@on_two_threads
def test_copy(case: Copy, instruction_set: str) -> None:
    x = np.random.default_rng(0).integers(0, 256, (*case.x, case.bytes), dtype=np.uint8)
    x = x.view(f"u{case.bytes}").reshape(case.x)
    with opmill.use_instruction_set(instruction_set):
        explained = TILE.explain([x, case.repeats], {})
        (found,) = TILE([x, case.repeats], {})
    assert explained.kernel == case.kernel(instruction_set)
    uses_it = "shuffle" in explained.kernel or "stream" in explained.kernel
    assert (explained.instruction_set != "plain") == uses_it
    assert np.array_equal(found, np.tile(x, case.repeats))


@of_copies
def test_every_way_of_copies_is_reached() -> None:
    source = (SOURCES / "runtime" / "copy" / "copy.c").read_text()
    names = set(re.findall(r'"([a-z+]+)"', source))
    reached = {case.kernel(name) for case in COPIES for name in opmill.instruction_sets()}
    beyond = {name for name in names if "shuffle" in name or "stream" in name}
    able = bool(set(opmill.instruction_sets()) & {"avx512", "avx2"})
    assert reached | {"fill", "repeat"} >= (names if able else names - beyond)
    assert reached <= names
