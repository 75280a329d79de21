"""The cases of Cast: each pair of types once within a near cache and once beyond it."""

from __future__ import annotations

from benchmarks.cases import CastCase

SMALL, LARGE = 1 << 14, 1 << 20
_PAIRS = (
    # between floats
    ("float32", "float16"),
    ("float16", "float32"),
    ("float32", "bfloat16"),
    ("bfloat16", "float32"),
    ("float32", "float64"),
    ("float64", "float32"),
    # to integers, from integers
    ("float32", "int8"),
    ("float32", "uint8"),
    ("float32", "int32"),
    ("float32", "int64"),
    ("int64", "float32"),
    ("uint8", "float32"),
    # the formats of eight bits
    ("float32", "float8_e4m3fn"),
    ("float8_e4m3fn", "float32"),
    # truth
    ("bool", "float32"),
    ("float32", "bool"),
)

MAIN = tuple(CastCase(*pair, size) for pair in _PAIRS for size in (SMALL, LARGE))
