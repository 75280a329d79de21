"""The cases of MaxPool: layers of published networks, and what their kinds leave out."""

from __future__ import annotations

from benchmarks.cases import PoolCase, Shape


def _case(
    x: Shape, k: int, *, s: int = 1, p: int = 0, type: str = "float32", indices: bool = False
) -> PoolCase:
    rank = len(x) - 2
    return PoolCase(x, (k,) * rank, (s,) * rank, (p,) * rank, type, indices)


RESNET = _case((1, 64, 112, 112), 3, s=2, p=1)
"""The first pool of ResNet: a target is stated for it."""

MAIN = (
    RESNET,
    _case((1, 64, 56, 56), 2, s=2),  # VGG
    _case((1, 192, 28, 28), 3, p=1),  # the pools of Inception's branches
    _case((1, 480, 14, 14), 3, p=1),
    _case((1, 832, 7, 7), 3, p=1),
    _case((1, 256, 20, 20), 5, p=2),  # pyramids of pools
    _case((1, 512, 13, 13), 13, p=6),
    _case((8, 64, 1024), 3, s=2, p=1),  # one axis, three axes
    _case((1, 32, 16, 28, 28), 3, s=2, p=1),
    _case((1, 64, 112, 112), 3, s=2, p=1, type="uint8"),
    _case((1, 64, 112, 112), 3, s=2, p=1, type="float16"),
    _case((1, 64, 112, 112), 3, s=2, p=1, indices=True),
    _case((1, 64, 56, 56), 2, s=2, indices=True),  # what SegNet unpools
)
