"""Reference of StringConcat, element by element: the bytes of one text, then of the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.indices import indices, ravel
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x, y = inputs["X"], inputs["Y"]
    rank = max(len(x.shape), len(y.shape))
    aligned = [(1,) * (rank - len(v.shape)) + v.shape for v in (x, y)]
    shape = [a if b == 1 else b for a, b in zip(*aligned, strict=True)]
    items = []
    for index in indices(shape):
        parts = []
        for value, dims in zip((x, y), aligned, strict=True):
            position = ravel([0 if d == 1 else i for i, d in zip(index, dims, strict=True)], dims)
            parts.append(value.items[position].encode("utf-8", "surrogatepass"))
        items.append(b"".join(parts).decode("utf-8", "surrogatepass"))
    return {"Z": Value("string", tuple(shape), tuple(items))}
