"""Calls that between them take every way through the C kernels, and which way each one takes.

A case says the kernel for all instruction sets but ``plain``, which is standard C and has fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Convolution:
    """A call of ConvTranspose without its numbers.

    Args:
        kernel: the one that it takes.
        x: the shape of X.
        w: the shape of W.
        attributes: those that are given.
        narrow: the kernel where a vector has fewer than eight lanes, if that is another one.
    """

    kernel: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    attributes: dict[str, Any] = field(default_factory=dict, hash=False)
    narrow: str | None = None

    @property
    def label(self) -> str:
        given = "-".join(f"{k[:3]}{v}" for k, v in self.attributes.items())
        return f"{self.kernel}-{'x'.join(map(str, self.x))}-{'x'.join(map(str, self.w))}-{given}"

    @property
    def borders(self) -> list[tuple[int, ...]]:
        """The positions on a border of X."""
        return [
            at
            for at in np.ndindex(*self.x[2:])
            if any(i in (0, n - 1) for i, n in zip(at, self.x[2:], strict=True))
        ]

    @property
    def taps(self) -> list[tuple[int, ...]]:
        """The positions of W."""
        return list(np.ndindex(*self.w[2:]))


CONVOLUTIONS = (
    Convolution("direct", (2, 2, 4, 5), (2, 2, 3, 3), {"strides": [2, 1], "pads": [1, 0, 0, 1]}),
    Convolution("direct", (2, 3, 7), (3, 2, 4), {"strides": [3], "output_padding": [2]}),
    Convolution("direct", (2, 6, 4, 5), (6, 5, 3, 3), {"strides": [2, 18], "dilations": [1, 2]}),
    Convolution("groups", (3, 37, 5, 3), (37, 2, 4, 4), {"group": 37, "strides": [2, 2]}),
    Convolution("groups", (9, 20, 3), (20, 1, 15), {"group": 20, "dilations": [2], "pads": [3, 4]}),
    Convolution("groups", (2, 33, 2, 4, 3), (33, 1, 3, 2, 3), {"group": 33, "strides": [2, 1, 3]}),
    Convolution("groups", (4, 17, 4, 3), (17, 1, 3, 3), {"group": 17, "strides": [5, 4]}),
    Convolution(
        "groups", (2, 40, 5, 7), (40, 1, 3, 3), {"group": 40, "pads": [1, 2, 2, 1]}, "depthwise"
    ),
    Convolution("depthwise", (6, 5, 6, 7), (5, 2, 4, 4), {"group": 5, "strides": [2, 2]}),
    Convolution("depthwise", (6, 6, 9, 14), (6, 1, 3, 3), {"group": 6, "pads": [1, 1, 1, 1]}),
    Convolution("depthwise", (6, 4, 14, 17), (4, 3, 7, 7), {"group": 4, "pads": [3, 3, 3, 3]}),
    Convolution("depthwise", (6, 3, 5, 70), (3, 1, 5, 3), {"group": 3, "dilations": [2, 3]}),
    Convolution("depthwise", (6, 3, 5, 40), (3, 2, 6, 16), {"group": 3, "strides": [3, 8]}),
    Convolution("depthwise", (6, 3, 4, 150), (3, 1, 2, 3), {"group": 3, "strides": [1, 3]}),
    Convolution("depthwise", (6, 3, 7, 23), (3, 1, 3, 7), {"group": 3, "strides": [2, 5]}),
    Convolution("depthwise", (6, 3, 7, 18), (3, 2, 2, 4), {"group": 3, "strides": [2, 6]}),
    Convolution("depthwise", (6, 3, 5, 19), (3, 1, 3, 14), {"group": 3, "strides": [1, 11]}),
    Convolution("depthwise", (6, 3, 5, 17), (3, 1, 2, 30), {"group": 3, "strides": [2, 15]}),
    Convolution("depthwise", (6, 4, 333), (4, 2, 5), {"group": 4, "strides": [2], "pads": [2, 1]}),
    Convolution("depthwise", (1, 5, 161), (5, 1, 8), {"group": 5, "strides": [4], "pads": [1, 4]}),
    Convolution("depthwise", (1, 4, 89), (4, 2, 15), {"group": 4, "strides": [11]}),
    Convolution("depthwise", (6, 3, 3, 4, 4), (3, 1, 3, 4, 4), {"group": 3, "strides": [2, 2, 2]}),
    Convolution(
        "small_input", (5, 32, 3, 4), (32, 257, 4, 4), {"strides": [2, 2], "pads": [1] * 4}
    ),
    Convolution("small_input", (4, 40, 5), (40, 1100, 3), {"dilations": [2]}),
    Convolution("small_input", (5, 64, 2, 2, 3), (64, 80, 3, 3, 3), {"strides": [2, 1, 2]}),
    Convolution("columns", (5, 33, 6, 7), (33, 3, 4, 4), {"strides": [2, 2], "pads": [1] * 4}),
    Convolution(
        "columns", (5, 16, 4, 18), (16, 1, 3, 5), {"dilations": [2, 3], "pads": [4, 0, 0, 6]}
    ),
    Convolution("columns", (4, 129, 3, 5), (129, 10, 3, 4), {"strides": [1, 3]}),
    Convolution("columns", (1, 16, 10001), (16, 2, 7), {"strides": [5], "pads": [3, 2]}),
    Convolution("columns", (1, 75, 7500), (75, 1, 5), {"strides": [2], "pads": [2, 0]}),
    Convolution(
        "columns", (9, 32, 24, 24), (32, 6, 4, 5), {"strides": [2, 1], "pads": [1, 2, 0, 2]}
    ),
    Convolution("columns", (6, 16, 4, 3, 5), (16, 1, 3, 2, 3), {"strides": [2, 1, 2]}),
    Convolution("taps", (5, 5, 3, 13), (5, 17, 3, 33), {"strides": [2, 16], "pads": [1, 8, 1, 8]}),
    Convolution("taps", (4, 4, 14), (4, 20, 40), {"strides": [17], "output_padding": [5]}),
    Convolution("taps", (6, 3, 3, 6), (3, 21, 2, 64), {"strides": [1, 32], "dilations": [2, 1]}),
    Convolution("phases", (6, 8, 6, 7), (8, 9, 3, 3), {"pads": [1, 1, 1, 1]}),
    Convolution("phases", (6, 8, 6, 7), (8, 9, 3, 3), {"dilations": [2, 3], "pads": [2, 0, 1, 3]}),
    Convolution("phases", (6, 6, 7, 6), (6, 3, 4, 4), {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    Convolution("phases", (6, 6, 5, 33), (6, 2, 3, 4), {"strides": [3, 2], "pads": [2, 1, 2, 1]}),
    Convolution("phases", (6, 4, 5, 6), (4, 13, 3, 5), {"strides": [2, 3]}),
    Convolution("phases", (2, 8, 35), (8, 7, 11), {"strides": [4], "pads": [3, 2]}),
    Convolution("phases", (6, 4, 3, 3, 3), (4, 4, 3, 3, 3), {"strides": [2, 2, 2]}),
    Convolution("phases", (6, 8, 4, 9), (8, 4, 3, 16), {"strides": [1, 8], "pads": [1, 4, 1, 4]}),
    Convolution("phases", (6, 6, 9, 9), (6, 5, 3, 3), {"group": 3, "pads": [1, 1, 1, 1]}),
    Convolution("phases", (4, 16, 3, 3), (16, 410, 9, 9), {"pads": [4, 4, 4, 4]}),
)


# Those that move bytes with shuffles, and those that can write around the caches.
SHUFFLING = frozenset({"avx512", "avx2", "neon"})
STREAMING = frozenset({"avx512", "avx2", "baseline"})


@dataclass(frozen=True)
class Copy:
    """A call of Tile on elements of so many bytes, and the ways that it takes."""

    shuffling: str
    otherwise: str
    bytes: int
    x: tuple[int, ...]
    repeats: tuple[int, ...]

    @property
    def label(self) -> str:
        return f"{self.shuffling}-{self.bytes}-{'x'.join(map(str, self.x))}-{self.repeats}"

    def kernel(self, instruction_set: str) -> str:
        """The way on an instruction set."""
        name = self.shuffling if instruction_set in SHUFFLING else self.otherwise
        return name if instruction_set in STREAMING else name.removesuffix("+stream")


COPIES = (
    Copy("empty", "empty", 4, (2, 0), (3, 3)),
    Copy("memcpy", "memcpy", 8, (7, 11), (1, 1)),
    Copy("small", "small", 2, (5, 3), (3, 4)),
    Copy("small", "small", 8, (3, 2), (1, 5)),
    Copy("shuffle", "fill", 1, (333, 1), (1, 37)),
    Copy("shuffle", "fill", 2, (333, 1), (3, 37)),
    Copy("shuffle", "fill", 4, (600, 1), (2, 3)),
    Copy("shuffle", "fill", 8, (300, 1), (1, 20)),
    Copy("fill", "fill", 8, (3, 1), (1, 5000)),
    Copy("fill", "fill", 8, (40, 1), (3, 900)),
    Copy("shuffle", "repeat", 2, (1001, 3), (1, 5)),
    Copy("shuffle", "repeat", 4, (20, 5, 3), (3, 1, 7)),
    Copy("repeat", "repeat", 4, (50, 200), (2, 9)),
    Copy("runs", "runs", 1, (3, 100_001), (1, 2)),
    Copy("runs", "runs", 8, (70_000,), (1,)),
    Copy("shuffle+stream", "repeat+stream", 1, (70_000, 3), (1, 350)),
    Copy("fill+stream", "fill+stream", 8, (3, 1), (1, 3_000_000)),
    Copy("repeat+stream", "repeat+stream", 1, (7, 1001), (3, 3201)),
    Copy("runs+stream", "runs+stream", 1, (7, 10_000_001), (1, 1)),
)
