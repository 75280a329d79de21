"""MaxUnpool, slowly: one element after the other."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, indices, wanted = inputs["X"], inputs["I"], inputs.get("output_shape")
    assert x is not None
    assert indices is not None
    kernel = attributes["kernel_shape"]
    n = len(kernel)
    strides = attributes.get("strides", [1] * n)
    pads = attributes.get("pads", [0] * (2 * n))
    counted = list(x.shape)
    for axis in range(n):
        windows = (x.shape[2 + axis] - 1) * strides[axis] + kernel[axis]
        counted[2 + axis] = windows - pads[axis] - pads[n + axis]
    shape = tuple(counted if wanted is None else wanted.items)
    sources: dict[int, int] = {}
    last = prod(shape) - 1
    for source, number in enumerate(indices.items):
        if not 0 <= number <= last:
            raise RefusedContents(
                source, f"is {number}, expected 0 to {last}" if last else f"is {number}, expected 0"
            )
        sources[number] = source
    if x.bits is None:
        items = [x.items[sources[k]] if k in sources else 0.0 for k in range(prod(shape))]
        return {"output": Value(x.type, shape, tuple(items))}
    bits = [x.bits[sources[k]] if k in sources else 0 for k in range(prod(shape))]
    items = [x.items[sources[k]] if k in sources else 0.0 for k in range(prod(shape))]
    return {"output": Value(x.type, shape, tuple(items), tuple(bits))}
