"""Benchmark cases: the call, and the amount of computation or output.

The cases themselves are data, in the files ``cases_*.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, Protocol

Shape = tuple[int, ...]


class Case(Protocol):
    """Interface of a case that the harness uses."""

    @property
    def name(self) -> str: ...

    @property
    def operator(self) -> str: ...


@dataclass(frozen=True)
class ConvTransposeCase:
    """One call of ConvTranspose.

    Args:
        name: what it is called in tables and on the command line.
        x: the shape of X, (N, C, spatial dims).
        w: the shape of W, (C, M / group, kernel dims).
        strides, pads, output_padding, dilations: one value an axis; pads are begins, then ends.
        group: the number of groups.
        relative: for a case that is not in the main table, the one there that is nearest to it.
        tiny: whether it measures a call rather than arithmetic, and stays out of the means.
    """

    name: str
    x: Shape
    w: Shape
    strides: Shape
    pads: Shape
    output_padding: Shape
    dilations: Shape
    group: int
    relative: str | None = None
    tiny: bool = False

    @property
    def operator(self) -> str:
        return "ConvTranspose"

    @property
    def y(self) -> Shape:
        """The shape of Y, as ONNX's formula has it."""
        rank = len(self.strides)
        spatial = (
            self.strides[i] * (self.x[2 + i] - 1)
            + self.output_padding[i]
            + (self.w[2 + i] - 1) * self.dilations[i]
            + 1
            - self.pads[i]
            - self.pads[rank + i]
            for i in range(rank)
        )
        return (self.x[0], self.w[1] * self.group, *spatial)

    @property
    def flops(self) -> int:
        """Multiplications and additions where every tap falls inside the output."""
        return 2 * math.prod(self.x) * self.w[1] * math.prod(self.w[2:])

    @property
    def symmetric(self) -> bool:
        """True if begins and ends are padded alike, which is all that torch can do."""
        return self.pads[: len(self.strides)] == self.pads[len(self.strides) :]

    def attributes(self) -> dict[str, int | list[int]]:
        """The attributes by ONNX's names."""
        return {
            "strides": list(self.strides),
            "pads": list(self.pads),
            "output_padding": list(self.output_padding),
            "dilations": list(self.dilations),
            "group": self.group,
        }

    def text(self) -> str:
        """The call in one line: ``(1,512,8,8) (512,256,4,4) s2 p1``."""
        words = [_shape_text(self.x), _shape_text(self.w)]
        words += _differing("s", self.strides, 1) + _differing("p", self.pads, 0)
        words += _differing("op", self.output_padding, 0) + _differing("d", self.dilations, 1)
        words += [f"g{self.group}"] if self.group != 1 else []
        return " ".join(words)


@dataclass(frozen=True)
class CopyCase:
    """One call of Tile or Expand.

    Args:
        operator: Tile or Expand.
        input: the shape of the input.
        argument: the repeats, or the shape to expand to.
        main: whether it is of the main table, or one of the further ones.
    """

    operator: Literal["Tile", "Expand"]
    input: Shape
    argument: Shape
    main: bool

    @property
    def name(self) -> str:
        """As ``Tile 1024x1024 by 4x4`` and ``Expand 64x1 to 64x8``."""
        word = "by" if self.operator == "Tile" else "to"
        return f"{self.operator} {_times(self.input)} {word} {_times(self.argument)}"

    @property
    def output(self) -> Shape:
        if self.operator == "Tile":
            return tuple(a * b for a, b in zip(self.input, self.argument, strict=True))
        return tuple(max(a, b) for a, b in zip(self.input, self.argument, strict=True))

    def bytes(self, itemsize: int) -> int:
        """The size of the output."""
        return math.prod(self.output) * itemsize


@dataclass(frozen=True)
class ElementwiseCase:
    """One call of an operator that computes, or moves, each element by itself.

    Args:
        operator: Add, Relu or Identity.
        inputs: the shapes of its inputs, which are broadcast.
        type: the element type.
    """

    operator: str
    inputs: tuple[Shape, ...]
    type: str = "float32"

    @property
    def name(self) -> str:
        """As ``Add 64x56x56x64 and 64``."""
        return f"{self.operator} {' and '.join(_times(shape) for shape in self.inputs)}"

    @property
    def output(self) -> Shape:
        rank = max(map(len, self.inputs))
        shapes = [(1,) * (rank - len(shape)) + shape for shape in self.inputs]
        return tuple(max(dims) for dims in zip(*shapes, strict=True))


@dataclass(frozen=True)
class CastCase:
    """One call of Cast.

    Args:
        source: the element type of the input.
        target: that of the output.
        size: how many elements there are.
    """

    source: str
    target: str
    size: int

    @property
    def operator(self) -> str:
        return "Cast"

    @property
    def name(self) -> str:
        """As ``Cast float32 to int8, 16384``."""
        return f"Cast {self.source} to {self.target}, {self.size}"


@dataclass(frozen=True)
class PoolCase:
    """One call of MaxPool.

    Args:
        x: the shape of X, (N, C, spatial dims).
        kernel, strides: one value an axis.
        pads: of either end, one value an axis.
        type: the element type.
        indices: whether Indices is requested.
    """

    x: Shape
    kernel: Shape
    strides: Shape
    pads: Shape
    type: str = "float32"
    indices: bool = False

    @property
    def operator(self) -> str:
        return "MaxPool"

    @property
    def name(self) -> str:
        """As ``MaxPool 1x64x112x112 k3 s2 p1``."""
        words = ["MaxPool", _times(self.x), *_differing("k", self.kernel, 0)]
        words += _differing("s", self.strides, 1) + _differing("p", self.pads, 0)
        return " ".join(words + (["Indices"] if self.indices else []))

    @property
    def y(self) -> Shape:
        """The shape of Y, as ONNX's formula has it."""
        axes = zip(self.x[2:], self.kernel, self.strides, self.pads, strict=True)
        return self.x[:2] + tuple((n + 2 * p - k) // s + 1 for n, k, s, p in axes)

    def attributes(self) -> dict[str, list[int]]:
        """The attributes by ONNX's names."""
        return {
            "kernel_shape": list(self.kernel),
            "strides": list(self.strides),
            "pads": list(self.pads * 2),
        }


@dataclass(frozen=True)
class JoinCase:
    """One call of Concat, or of Split into the same parts.

    Args:
        operator: Concat or Split.
        part: the shape of each part.
        count: how many parts there are.
        axis: along which they lie side by side.
    """

    operator: str
    part: Shape
    count: int
    axis: int

    @property
    def name(self) -> str:
        """As ``Concat 4 of 1x256x28x28, axis 1``."""
        return f"{self.operator} {self.count} of {_times(self.part)}, axis {self.axis}"

    @property
    def whole(self) -> Shape:
        """The shape of the parts side by side."""
        joined = self.part[self.axis] * self.count
        return (*self.part[: self.axis], joined, *self.part[self.axis + 1 :])


@dataclass(frozen=True)
class MoveCase:
    """One call of an operator that moves elements without repeating them.

    Args:
        operator: Transpose, Slice, Pad or DepthToSpace.
        input: the shape of the input.
        output: that of the output.
        arguments: by ONNX's names, as inputs or attributes: perm; starts, ends and steps, one for
            each axis; pads, begins before ends; blocksize.
        type: the element type.
    """

    operator: Literal["Transpose", "Slice", "Pad", "DepthToSpace"]
    input: Shape
    output: Shape
    arguments: tuple[tuple[str, Shape], ...]
    type: str = "float32"

    @property
    def name(self) -> str:
        """As ``Transpose 8x56x56x64 perm 0,3,1,2``."""
        words = [f"{name} {','.join(map(str, values))}" for name, values in self.arguments]
        return f"{self.operator} {_times(self.input)} {' '.join(words)}"

    def argument(self, name: str) -> Shape:
        return dict(self.arguments)[name]

    def slices(self) -> tuple[slice, ...]:
        """The ranges of a Slice forward, as NumPy writes them."""
        values = (self.argument(name) for name in ("starts", "ends", "steps"))
        return tuple(slice(*each) for each in zip(*values, strict=True))


@dataclass(frozen=True)
class NonZeroCase:
    """One call of NonZero.

    Args:
        x: the shape of X.
        percent: how many of a hundred elements are not zero; they lie anywhere.
        type: the element type.
    """

    x: Shape
    percent: int
    type: str = "float32"

    @property
    def operator(self) -> str:
        return "NonZero"

    @property
    def name(self) -> str:
        """As ``NonZero 1024x1024, 50%``."""
        return f"NonZero {_times(self.x)}, {self.percent}%"


@dataclass(frozen=True)
class ReductionCase:
    """One call of an operator that combines elements along axes.

    Args:
        operator: the one that combines them, as ReduceSum.
        input: the shape of its input.
        axes: those that are reduced.
        keepdims: whether they stay, with a dim of 1.
        type: the element type.
    """

    operator: str
    input: Shape
    axes: tuple[int, ...]
    keepdims: bool
    type: str = "float32"

    @property
    def name(self) -> str:
        """As ``ReduceSum 64x128x256 over 1, kept``."""
        kept = ", kept" if self.keepdims else ""
        return f"{self.operator} {_times(self.input)} over {','.join(map(str, self.axes))}{kept}"

    @property
    def output(self) -> Shape:
        dims = ((1 if axis in self.axes else dim) for axis, dim in enumerate(self.input))
        if self.keepdims:
            return tuple(dims)
        return tuple(dim for axis, dim in enumerate(self.input) if axis not in self.axes)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """True if a name fits one of the patterns, as ``k3*``; any name does where there are none."""
    return not patterns or any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def _differing(letter: str, values: Shape, usual: int) -> list[str]:
    """``s2``; ``p0,1,2,1`` where the values differ; nothing where all are the usual one."""
    if set(values) == {usual}:
        return []
    if len(set(values)) == 1:
        return [f"{letter}{values[0]}"]
    return [letter + ",".join(map(str, values))]


def _shape_text(shape: Shape) -> str:
    return f"({','.join(map(str, shape))})"


def _times(shape: Shape) -> str:
    return "x".join(map(str, shape))
