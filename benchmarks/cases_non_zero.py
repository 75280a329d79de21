"""The cases of NonZero: from few elements that are not zero to all of them."""

from __future__ import annotations

from benchmarks.cases import NonZeroCase

MAIN = (
    *(NonZeroCase((1024, 1024), percent) for percent in (1, 50, 100)),
    NonZeroCase((1024, 1024), 50, "bool"),
    NonZeroCase((1 << 20,), 50),
    NonZeroCase((32, 32, 32, 32), 50),
)
