"""Slow reference of FusedConv: an exact sum, and the image of its nearest double."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opmill_checks.activations import activation
from opmill_checks.indices import indices, ravel
from opmill_checks.quantized_windows import geometry
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, w, b, z = inputs["X"], inputs["W"], inputs.get("B"), inputs.get("Z")
    assert x is not None
    assert w is not None
    sizes, begins = geometry(x.shape[2:], w.shape[2:], attributes)
    shape = (x.shape[0], w.shape[0], *sizes)
    numbers = [attribute_value(float(value)) for value in attributes.get("activation_params", [])]
    name = attributes.get("activation")
    items = []
    for index in indices(shape):
        total = total_of(pairs(x, w, index, begins, attributes))
        if b is not None:
            total = plus(total, b.items[index[1]])
        if z is not None:
            total = plus(total, z.items[ravel(index, shape)])
        if name is not None:
            nearest = rounded(total, "double") if total else 0.0
            total = activation(name, numbers)(nearest)
        items.append(rounded(total, x.type) if total else 0.0)
    return {"Y": Value(x.type, shape, tuple(items))}


def pairs(
    x: Value, w: Value, index: Sequence[int], begins: Sequence[int], attributes: Mapping[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """The factors of the products of an output element; zeros beside X."""
    item, m, *position = index
    ones = [1] * len(position)
    strides, dilations = attributes.get("strides", ones), attributes.get("dilations", ones)
    first = m // (w.shape[0] // attributes.get("group", 1)) * w.shape[1]
    for c, *tap in indices(w.shape[1:]):
        at = [
            o * stride + t * dilation - begin
            for o, t, stride, dilation, begin in zip(
                position, tap, strides, dilations, begins, strict=True
            )
        ]
        inside = all(0 <= i < size for i, size in zip(at, x.shape[2:], strict=True))
        element = x.items[ravel((item, first + c, *at), x.shape)] if inside else 0
        yield element, w.items[ravel((m, c, *tap), w.shape)]
