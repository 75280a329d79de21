"""Reference of FeatureVectorizer: row by row, each input's elements and then zeros."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import rounded
from opmill_checks.value import Value, bits_of


def oracle(
    inputs: Mapping[str, Sequence[Value]], attributes: Mapping[str, Any]
) -> dict[str, Value]:
    parts = inputs["X"]
    given = attributes.get("inputdimensions")
    widths = [part.shape[-1] for part in parts] if given is None else list(given)
    rows = parts[0].shape[0] if len(parts[0].shape) == 2 else 1
    moved = parts[0].type == "float"  # as they are, the bits of NaNs included
    items: list[float] = []
    bits: list[int] = []
    patterns = [bits_of(part.to_array()) if moved else () for part in parts]
    for row in range(rows):
        for part, pattern, width in zip(parts, patterns, widths, strict=True):
            size = part.shape[-1]
            begin, count = row * size, min(size, width)
            own = part.items[begin : begin + count]
            exact = [Fraction(item) if isinstance(item, int) else item for item in own]
            items += [rounded(item, "float") for item in exact]
            items += [0.0] * (width - count)
            bits += (*pattern[begin : begin + count], *(0,) * (width - count))
    result = Value("float", (rows, sum(widths)), tuple(items), tuple(bits) if moved else None)
    return {"Y": result}
