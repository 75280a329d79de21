"""Slow reference of Threshold for the tests."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    image = inputs["image"]
    level = attributes.get("level", 128)
    assert isinstance(level, int)
    white = tuple(255 if pixel >= level else 0 for pixel in image.items)
    return {"mask": Value("uint8", image.shape, white)}
