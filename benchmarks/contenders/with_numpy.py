"""NumPy: ``tile``, which makes a new array each time, and ``broadcast_to`` copied into ``out``."""

from __future__ import annotations

import numpy as np

from benchmarks.cases import ConvTransposeCase, CopyCase
from benchmarks.clock import Call
from benchmarks.contenders import Array


class Library:
    """NumPy has no transposed convolution, and copies with one thread."""

    name = "numpy"
    version = np.__version__

    def set_threads(self, threads: int) -> None:
        """There is nothing to set."""

    def conv_transpose(self, case: ConvTransposeCase, x: Array, w: Array, out: Array) -> None:
        """NumPy has none."""

    def copy(self, case: CopyCase, x: Array, out: Array) -> Call:
        if case.operator == "Tile":
            return lambda: np.tile(x, case.argument)
        return lambda: np.copyto(out, np.broadcast_to(x, out.shape))


def libraries() -> list[Library]:
    return [Library()]
