"""The cases of reductions: all axes, the last, the first, some in between, short rows, types."""

from __future__ import annotations

from benchmarks.cases import ReductionCase

_CASES = (
    ((1 << 20,), (0,), False),
    ((1024, 1024), (1,), False),
    ((1024, 1024), (0,), False),
    ((64, 128, 256), (1,), False),
    ((64, 128, 256), (1,), True),
    ((64, 128, 256), (0, 2), False),
    ((32, 64, 56, 56), (2, 3), True),
    ((1024, 64), (1,), False),  # short rows
    ((300000, 3), (0,), False),  # few columns
)

MAIN = (
    *(ReductionCase("ReduceSum", shape, axes, kept) for shape, axes, kept in _CASES),
    *(
        ReductionCase("ReduceSum", (1024, 1024), (axis,), False, type)
        for type in ("float64", "float16", "int32")
        for axis in (0, 1)
    ),
    *(
        ReductionCase(operator, shape, axes, kept)
        for operator in ("ReduceMean", "ReduceMax", "ReduceL2", "ReduceLogSumExp")
        for shape, axes, kept in _CASES
    ),
)
