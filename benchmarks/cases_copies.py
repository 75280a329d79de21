"""The cases of Tile and Expand: which elements go where, for elements of 1 to 16 bytes."""

from __future__ import annotations

from itertools import product

from benchmarks.cases import CopyCase, Shape


def _tile(input: Shape, repeats: Shape, *, main: bool = False) -> CopyCase:
    return CopyCase("Tile", input, repeats, main)


def _expand(input: Shape, shape: Shape, *, main: bool = False) -> CopyCase:
    return CopyCase("Expand", (1,) * (len(shape) - len(input)) + input, shape, main)


TYPES = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}
"""The element type measured for each size in bytes."""

MAIN = (
    _tile((1024, 1024), (4, 4), main=True),
    _tile((4096, 3), (1, 64), main=True),
    _tile((65536, 1), (1, 64), main=True),
    _tile((8, 8, 8, 8), (3, 3, 3, 3), main=True),
    _tile((2, 3, 4, 5), (7, 3, 5, 6), main=True),
    _tile((1000, 3), (1, 2), main=True),
    _expand((1, 4096), (1024, 4096), main=True),
    _expand((64, 1, 56, 1), (64, 32, 56, 56), main=True),
    _expand((1024, 1, 3), (1024, 1024, 3), main=True),
    _expand((4096, 1), (4096, 3), main=True),
)

_ELEMENTS = 1 << 18


def _runs() -> list[CopyCase]:
    """Short runs, each repeated a few times or often."""
    return [
        _tile((_ELEMENTS // (run * count), run), (1, count))
        for run in (1, 2, 3, 5, 7)
        for count in (2, 3, 100)
    ]


def _orders() -> list[CopyCase]:
    """Four axes of which each is kept or stretched, in every order."""
    full = (16, 24, 20, 28)
    return [
        _expand(tuple(d if keep else 1 for d, keep in zip(full, kept, strict=True)), full)
        for kept in product((True, False), repeat=4)
        if any(kept) and not all(kept)
    ]


FURTHER = (
    *_runs(),
    *_orders(),
    # many axes, alternately kept and stretched
    _expand((1, 8, 1, 8, 1, 8, 1, 8), (4, 8, 4, 8, 4, 8, 4, 8)),
    _expand((8, 1, 8, 1, 8, 1, 8, 1), (8, 4, 8, 4, 8, 4, 8, 4)),
    _expand((5, 1, 7, 1, 3, 1, 2, 1), (5, 3, 7, 2, 3, 4, 2, 6)),
    _tile((3,) * 8, (2,) * 8),
    # repeats of 1 in between
    _tile((2,) * 8, (3, 2, 1, 2, 3, 2, 1, 5)),
    _tile((6, 5, 4, 3, 7), (3, 1, 4, 1, 5)),
    # long runs, a few times each
    _tile((100000,), (3,)),
    _tile((7,), (50000,)),
    _tile((3000, 33), (1, 3)),
    _tile((1000, 300), (1, 3)),
    _expand((3000, 1, 33), (3000, 3, 33)),
    _expand((10000, 7, 1, 3), (10000, 7, 3, 3)),
    _expand((1, 1, 1), (100, 100, 30)),
)
