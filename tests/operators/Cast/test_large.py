"""Cast of tensors that the kernel in C divides among threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from large_tensors import NEEDS_C, each_instruction_set, whole_numbers

pytestmark = [NEEDS_C, pytest.mark.usefixtures("threads")]
CAST = opmill.operator("Cast", 25)


@each_instruction_set
@pytest.mark.parametrize(
    ("source", "to", "number"),
    [
        ("float32", "int8", 3),
        ("int64", "float16", 10),
        ("float64", "float32", 1),
        ("int8", "bool", 9),
    ],
)
def test_many_conversions(source: str, to: str, number: int, instruction_set: str) -> None:
    x = whole_numbers((300_007,), source)
    with opmill.use_instruction_set(instruction_set):
        (found,) = CAST([x], {"to": number})
    np.testing.assert_array_equal(found, x.astype(to), strict=True)


def floats_of_all_kinds(dtype: str) -> NDArray[Any]:
    """Floats of every exponent and sign, infinities and NaNs among them, and those around them."""
    spread = np.arange(0, 2**32, 16411, np.uint64)
    edges = (np.arange(512, dtype=np.uint64) << 23)[:, np.newaxis]
    around = (edges + np.arange(-2, 3).astype(np.uint64)) % 2**32
    bits = np.concatenate([spread, around.ravel()]).astype(np.uint32)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return bits.view(np.float32).astype(dtype)


@each_instruction_set
@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize(
    ("to", "number"),
    [("float8_e4m3fn", 17), ("float8_e4m3fnuz", 18), ("float8_e5m2", 19), ("float8_e5m2fnuz", 20)],
)
def test_floats_of_all_kinds_in_eight_bits(
    to: str, number: int, source: str, instruction_set: str
) -> None:
    x = floats_of_all_kinds(source)
    with opmill.use_instruction_set(instruction_set):
        (found,) = CAST([x], {"to": number, "saturate": 0})
    with np.errstate(all="ignore"):
        expected = x.astype(to)
    same = found.view(np.uint8) == expected.view(np.uint8)
    assert np.all(same | (np.isnan(found) & np.isnan(expected)))


@each_instruction_set
@pytest.mark.parametrize("source", ["float32", "float64"])
@pytest.mark.parametrize(("to", "number"), [("int8", 3), ("uint16", 4), ("int32", 6)])
def test_floats_of_all_kinds_as_integers(
    to: str, number: int, source: str, instruction_set: str
) -> None:
    x = floats_of_all_kinds(source)
    fits = np.abs(x) < 2.0**63
    assert not np.all(fits)
    whole = np.where(fits, x, 0).astype(np.int64)  # what is larger is a multiple of 2^40
    for chosen in (slice(None), np.abs(x) < 2.0**31):  # with blocks that do not fit, without
        with opmill.use_instruction_set(instruction_set):
            (found,) = CAST([x[chosen]], {"to": number})
        np.testing.assert_array_equal(found, whole[chosen].astype(to), strict=True)
