"""ONNX's tests of Squeeze, in the words of the versions whose axes are an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto

from onnx_rewrites import from_front, with_axes_as_attribute
from onnx_suite import Case


def squeeze_1(case: Case) -> Iterator[tuple[int, ModelProto]]:
    """Squeeze-1 counts axes from the front alone."""
    yield from from_front(with_axes_as_attribute(case, "Squeeze", 1, range(1, 11)))


def squeeze_11(case: Case) -> Iterator[tuple[int, ModelProto]]:
    yield from with_axes_as_attribute(case, "Squeeze", 11, range(11, 13))


REWRITES = {1: squeeze_1, 11: squeeze_11}
