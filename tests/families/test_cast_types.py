"""Cast from every type of numbers to every other: values at the borders of what the types hold."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import opmill
from family_oracles import oracle_of
from opmill_checks.value import TYPES, Value, raw_bits

pytestmark = pytest.mark.operators("Cast")
CAST = opmill.operator("Cast", 28)
NUMBERS = [word for word in TYPES if f"tensor({word})" in CAST.schema.type_constraints["T1"]]
NUMBERS.remove("string")
oracle = oracle_of("cast")

AROUND = (
    0, 1, 5, 7, 8, 63, 127, 128, 255, 448, 464, 2049, 2051, 65519, 65520, 2**24 + 1, 2**24 + 3,
    2**31 - 1, 2**53 + 1, 2**53 + 3, 2**62 + 2**38 + 1, 2**63 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
"""Where a narrow type ends, and halfway between two of its numbers, or next to that."""
BETWEEN = (0.5, 1.5, 2.5, 0.3, 1e-8, 6e-8, 1e-40, 3.3e38, 3.5e38, 1e300)


TEXTS = (
    "0", "-0.0", "+7", "1.5", "-2.5", "1e3", "1.00048828125", "1.00146484375", "-1.00146484375",
    "1.00390625", "1.01171875", "1.0625", "1.1875", "432", "464", "65520", "16777217", "16777219",
    "9007199254740993", "-9223372036854775808", "18446744073709551615", "nan", "-inf", "1e999",
)  # fmt: skip
"""Halfway between two numbers of each floating type, the lower of them even or the upper."""


def values_of(type: str) -> NDArray[np.generic]:
    """Those of the values that the type holds, rounded to it, and its special ones."""
    dtype = TYPES[type].dtype
    if type == "string":
        return np.array(TEXTS, object)
    if TYPES[type].kind == "bool":
        return np.array([False, True])
    if TYPES[type].kind == "integer":
        ends = ml_dtypes.iinfo(dtype)
        both = sorted({sign * n for n in AROUND for sign in (1, -1)} | {ends.min, ends.max})
        wide = np.int64 if ends.min else np.uint64
        return np.array([n for n in both if ends.min <= n <= ends.max], wide).astype(dtype)
    both = [sign * float(n) for n in (*AROUND, *BETWEEN) for sign in (1, -1)]
    with np.errstate(all="ignore"):
        return np.array([*both, np.nan, np.inf, -np.inf]).astype(dtype)


@pytest.mark.parametrize("source", [*NUMBERS, "string"])
def test_every_pair_of_types(source: str) -> None:
    x = values_of(source)
    for number, target in enumerate(TYPES, 1):
        if target not in NUMBERS:
            continue
        given = {"to": number, "saturate": 1, "round_mode": "up"}
        made = oracle({"input": Value.from_array(x)}, given, fnuz_infinity="largest")
        for backend in opmill.backends():
            with opmill.use_backend(backend):
                (found,) = CAST([x], given)
            wanted = made["output"].to_array()
            assert found.dtype == wanted.dtype
            differ = raw_bits(found) != raw_bits(wanted)
            assert not differ.any(), (target, backend, x[differ], found[differ], wanted[differ])
