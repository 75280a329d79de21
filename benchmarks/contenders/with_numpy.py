"""NumPy: ``tile``, which makes a new array each time, and ``broadcast_to`` copied into ``out``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.cases import (
    CastCase,
    ConvTransposeCase,
    CopyCase,
    ElementwiseCase,
    JoinCase,
    MoveCase,
    NonZeroCase,
    PoolCase,
    ReductionCase,
)
from benchmarks.cases_operators import OperatorCase
from benchmarks.clock import Call
from benchmarks.contenders import Array
from benchmarks.contenders.numpy_functions import MAKERS


class Library:
    """NumPy has no transposed convolution and no pooling, and works with one thread."""

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

    def elementwise(self, case: ElementwiseCase, inputs: Sequence[Array], out: Array) -> Call:
        first = inputs[0]
        if case.operator == "Add":
            return lambda: np.add(first, inputs[1], out=out)
        if case.operator == "Relu":
            return lambda: np.maximum(first, 0, out=out)
        return lambda: np.copyto(out, first)

    def cast(self, case: CastCase, x: Array, out: Array) -> Call:
        return lambda: np.copyto(out, x, casting="unsafe")

    def max_pool(self, case: PoolCase, x: Array, out: Array, indices: Array | None) -> None:
        """NumPy has none."""

    def non_zero(self, case: NonZeroCase, x: Array, out: Array) -> Call:
        return lambda: np.nonzero(x)

    def join(self, case: JoinCase, parts: Sequence[Array], whole: Array) -> Call:
        def concatenate() -> None:
            np.concatenate(parts, case.axis, out=whole)

        def split() -> None:
            for part, found in zip(parts, np.split(whole, case.count, case.axis), strict=True):
                np.copyto(part, found)

        return concatenate if case.operator == "Concat" else split

    def move(self, case: MoveCase, x: Array, out: Array) -> Call:
        if case.operator == "Pad":
            pads, rank = case.argument("pads"), x.ndim
            pairs = list(zip(pads[:rank], pads[rank:], strict=True))
            return lambda: np.pad(x, pairs)
        if case.operator == "DepthToSpace":
            (block,) = case.argument("blocksize")
            batch, depth, height, width = x.shape
            pieces = x.reshape(batch, block, block, depth // block**2, height, width)
            source = pieces.transpose(0, 3, 4, 1, 5, 2)
            target = out.reshape(source.shape)
        else:
            moved = case.operator == "Transpose"
            source = x.transpose(case.argument("perm")) if moved else x[case.slices()]
            target = out
        return lambda: np.copyto(target, source)

    def reduction(self, case: ReductionCase, x: Array, out: Array) -> Call | None:
        axes, kept = case.axes, case.keepdims
        if case.operator == "ReduceMax":
            return lambda: np.maximum.reduce(x, axis=axes, out=out, keepdims=kept)
        if case.operator == "ReduceMean":
            return lambda: np.mean(x, axis=axes, out=out, keepdims=kept)
        if case.operator == "ReduceSum":
            return lambda: np.add.reduce(x, axis=axes, dtype=x.dtype, out=out, keepdims=kept)
        return None

    def operator(
        self, case: OperatorCase, inputs: Sequence[Array | None], outs: Sequence[Array]
    ) -> Call | None:
        make = MAKERS.get(case.operator)
        return make and make(inputs, case.attribute, outs[0])


def libraries() -> list[Library]:
    return [Library()]
