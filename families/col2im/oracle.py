"""Slow reference of Col2Im: each element of each block is added where its window has it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.rounding import FORMATS, element
from opmill_checks.scattering import combined, exact_sum
from opmill_checks.value import TYPES, Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, image, block = inputs["input"], inputs["image_shape"].items, inputs["block_shape"].items
    n = len(image)
    strides = attributes.get("strides") or [1] * n
    dilations = attributes.get("dilations") or [1] * n
    pads = attributes.get("pads") or [0] * 2 * n
    blocks = [
        (image[i] + pads[i] + pads[n + i] - (block[i] - 1) * dilations[i] - 1) // strides[i] + 1
        for i in range(n)
    ]
    shape = (data.shape[0], data.shape[1] // math.prod(block), *image)
    kind = TYPES[data.type].kind
    zero: Any = {"float": 0.0, "complex": 0j, "bool": False}.get(kind, 0)
    sums = [zero] * math.prod(shape)
    split = (*shape[:2], *block, *blocks)
    for at, (batch, channel, *rest) in enumerate(indices(split)):
        inner, which = rest[:n], rest[n:]
        position = [which[i] * strides[i] + inner[i] * dilations[i] - pads[i] for i in range(n)]
        if all(0 <= position[i] < image[i] for i in range(n)):
            index = ravel((batch, channel, *position), shape)
            sums[index] = total(data.type, sums[index], data.items[at])
    items = [
        element(data.type, one) if data.type in FORMATS or kind == "integer" else one
        for one in sums
    ]
    return {"output": Value(data.type, shape, tuple(items))}


def total(type: str, old: Any, number: Any) -> Any:
    """A sum and one more element: exact, but for complex numbers."""
    if TYPES[type].kind in ("bool", "complex"):
        return combined(type, "add", old, number)
    return exact_sum(old, number)
