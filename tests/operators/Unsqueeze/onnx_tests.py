"""ONNX's tests of Unsqueeze, in the words of the versions whose axes are an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto

from onnx_rewrites import with_axes_as_attribute
from onnx_suite import Case


def unsqueeze_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Unsqueeze-1 counts axes from the front alone."""
    yield from with_axes_as_attribute(case, "Unsqueeze", 1, range(1, 11))


def unsqueeze_11(case: Case) -> Iterator[tuple[int, ModelProto]]:
    yield from with_axes_as_attribute(case, "Unsqueeze", 11, range(11, 13))


REWRITES = {1: unsqueeze_1, 11: unsqueeze_11}
