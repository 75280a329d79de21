"""Embeddings of words, positions and segments, element by element, in Python's floats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.moments import mean, mean_square, quotient, root
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value

Numbers = list[float]


def oracle(
    inputs: Mapping[str, Value | None],
    attributes: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any],
) -> dict[str, Value]:
    present = {name: value for name, value in inputs.items() if value is not None}
    return computed(present, attribute_value({**defaults, **attributes}["epsilon"]))


def computed(inputs: Mapping[str, Value], epsilon: float) -> dict[str, Value]:
    ids, mask = inputs["input_ids"], inputs.get("mask")
    batch, steps = ids.shape
    words = rows_of(inputs, "word_embedding")
    places = rows_of(inputs, "position_embedding")
    has_segments = "segment_embedding" in inputs
    segments = rows_of(inputs, "segment_embedding") if has_segments else []
    check(ids, len(words))
    if "position_ids" in inputs:
        check(inputs["position_ids"], len(places))
    if "segment_ids" in inputs:
        check(inputs["segment_ids"], len(segments))
    (gamma,), (beta,) = rows_of(inputs, "gamma"), rows_of(inputs, "beta")
    sums, items = [], []
    kind = inputs["word_embedding"].type if "word_embedding" in inputs else "float"
    for b in range(batch):
        for s in range(steps):
            at = b * steps + s
            place = s
            if "position_ids" in inputs:
                positions = inputs["position_ids"]
                place = positions.items[s if positions.shape[0] == 1 else at]
            line = [plus(x, y) for x, y in zip(words[ids.items[at]], places[place], strict=True)]
            if has_segments:
                more = segments[inputs["segment_ids"].items[at] if "segment_ids" in inputs else 0]
                line = [plus(x, y) for x, y in zip(line, more, strict=True)]
            sums += line
            center = mean(line)
            factor = quotient(1.0, root(mean_square(line, center) + epsilon))
            items += [
                (x - center) * factor * g + b for x, g, b in zip(line, gamma, beta, strict=True)
            ]
    shape = (batch, steps, len(gamma))
    counts = [0] * batch
    if mask is not None:
        counts = [list(mask.items[b * steps : (b + 1) * steps]).count(1) for b in range(batch)]
    result = Value(kind, shape, tuple(rounded(x, kind) for x in items))
    index = Value("int32", (batch,), tuple(counts))
    if "word_embedding" not in inputs:
        return {"layernorm_out": result, "mask_index_out": index}
    total = Value(kind, shape, tuple(rounded(x, kind) for x in sums))
    return {"output": result, "mask_index": index, "embedding_sum": total}


def rows_of(inputs: Mapping[str, Value], name: str) -> list[Numbers]:
    """The rows of a table, or a vector as the only one, as floats."""
    given = inputs[name] if name in inputs else inputs[f"{name}_quant"]
    items = list(given.items)
    if f"{name}_scale" in inputs:
        zero = inputs[f"{name}_zero_point"].items[0]
        items = [times(item - zero, inputs[f"{name}_scale"].items[0]) for item in items]
    length = given.shape[-1]
    return [items[i : i + length] for i in range(0, len(items), length)]


def check(ids: Value, rows: int) -> None:
    for position, index in enumerate(ids.items):
        if not 0 <= index < rows:
            expected = f"0 to {rows - 1}" if rows != 1 else "0"
            raise RefusedContents(position, f" is {index}, expected {expected}")


def plus(a: float, b: float) -> float:
    """The sum, rounded to float; infinities, NaNs and the signs of zeros as Python has them."""
    exact = Fraction(a) + Fraction(b) if math.isfinite(a) and math.isfinite(b) else 0
    return rounded(exact, "float") if exact else a + b


def times(a: int, b: float) -> float:
    """The product, rounded to float."""
    return rounded(Fraction(a) * Fraction(b), "float") if a and b and math.isfinite(b) else a * b
