"""The cases of what is done element by element: sizes that fit each cache, types, broadcasting."""

from __future__ import annotations

from benchmarks.cases import ElementwiseCase

_SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 24)
_TYPES = ("float64", "float16", "int8")
_PAIRS = (
    ((64, 56, 56, 64), (64,)),  # a bias on the last axis
    ((32, 64, 56, 56), (64, 1, 1)),  # and on the second one
    ((1024, 1024), (1,)),
    ((1024, 1024), (1024, 1)),
    ((1024, 1), (1, 1024)),
    ((300000, 3), (3,)),  # rows that are shorter than a vector
    ((300000, 3), (300000, 1)),
    ((16, 1, 24, 1, 28), (1, 20, 24, 12, 1)),
)

MAIN = (
    *(ElementwiseCase(name, ((size,),)) for name in ("Relu", "Identity") for size in _SIZES),
    *(ElementwiseCase("Add", ((size,), (size,))) for size in _SIZES),
    *(ElementwiseCase("Add", pair) for pair in _PAIRS),
    *(ElementwiseCase("Relu", ((1 << 20,),), type) for type in _TYPES),
    *(ElementwiseCase("Add", ((1 << 20,), (1 << 20,)), type) for type in _TYPES),
)
