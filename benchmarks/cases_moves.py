"""The cases of Transpose, Slice, Pad and DepthToSpace."""

from __future__ import annotations

from benchmarks.cases import MoveCase, Shape

TYPES = ("float32", "float16", "int8")
"""The element types of Transpose: 4, 2 and 1 bytes."""


def _transpose(input: Shape, perm: Shape, type: str = "float32") -> MoveCase:
    output = tuple(input[axis] for axis in perm)
    return MoveCase("Transpose", input, output, (("perm", perm),), type)


def _slice(input: Shape, starts: Shape, ends: Shape, steps: Shape) -> MoveCase:
    values = zip(starts, ends, steps, strict=True)
    output = tuple(len(range(start, end, step)) for start, end, step in values)
    return MoveCase("Slice", input, output, (("starts", starts), ("ends", ends), ("steps", steps)))


def _pad(input: Shape, pads: Shape) -> MoveCase:
    rank = len(input)
    output = tuple(input[i] + pads[i] + pads[i + rank] for i in range(rank))
    return MoveCase("Pad", input, output, (("pads", pads),))


def _depth_to_space(input: Shape, block: int) -> MoveCase:
    batch, depth, height, width = input
    output = (batch, depth // block**2, height * block, width * block)
    return MoveCase("DepthToSpace", input, output, (("blocksize", (block,)),))


_PERMUTATIONS: tuple[tuple[Shape, Shape], ...] = (
    ((4096, 4096), (1, 0)),
    ((2048, 1000), (1, 0)),
    ((256, 256), (1, 0)),
    ((32, 32), (1, 0)),
    ((8, 64, 56, 56), (0, 2, 3, 1)),  # NCHW to NHWC, and back
    ((8, 56, 56, 64), (0, 3, 1, 2)),
    ((1, 3, 224, 224), (0, 2, 3, 1)),
    ((1, 224, 224, 3), (0, 3, 1, 2)),
    ((8, 128, 12, 64), (0, 2, 1, 3)),  # the heads of an attention: queries, keys, values, result
    ((8, 128, 12, 64), (0, 2, 3, 1)),
    ((8, 12, 128, 64), (0, 1, 3, 2)),
    ((8, 12, 128, 64), (0, 2, 1, 3)),
)

MAIN = (
    *(_transpose(input, perm, type) for type in TYPES for input, perm in _PERMUTATIONS),
    _slice((1024, 1024), (0, 100), (1024, 900), (1, 1)),  # inner
    _slice((1024, 1024), (100, 0), (900, 1024), (1, 1)),  # outer
    _slice((64, 56, 56, 64), (0, 4, 4, 0), (64, 52, 52, 64), (1, 1, 1, 1)),
    _slice((1024, 1024), (0, 0), (1024, 1024), (1, 2)),
    _slice((1024, 1024), (0, 0), (1024, 1024), (2, 1)),
    _slice((1024, 1024), (0, 0), (1024, 1024), (3, 3)),
    _pad((8, 64, 56, 56), (0, 0, 1, 1, 0, 0, 1, 1)),
    _pad((1, 3, 224, 224), (0, 0, 3, 3, 0, 0, 3, 3)),
    _pad((1024, 1000), (0, 0, 0, 24)),
    _depth_to_space((1, 64, 128, 128), 2),
    _depth_to_space((8, 36, 64, 64), 3),
    _depth_to_space((1, 256, 64, 64), 4),
)
