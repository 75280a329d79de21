"""FlexAttention by its formula, element by element; sums of products are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from opmill_checks.indices import ravel
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import total_of
from opmill_checks.value import Value, type_of_number


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    q, k, v = (inputs[name] for name in ("Q", "K", "V"))
    inner = "double" if q.type == "double" else "float"
    if attributes.get("softmax_precision") is not None:
        inner = type_of_number(attributes["softmax_precision"])
    batch, heads, queries, size = q.shape
    shared, keys, width = k.shape[1], k.shape[2], v.shape[3]
    scale = attribute_value(attributes.get("scale"))
    if scale is None:
        scale = 1 / math.sqrt(size) if size else 1.0
    shape = (batch, heads, queries, keys)
    scores = []
    for b, h, i, j in product(*map(range, shape)):
        of_keys = h * shared // heads
        pairs = [(item(q, b, h, i, e), item(k, b, of_keys, j, e)) for e in range(size)]
        scores.append(rounded(scaled(total_of(pairs), scale), inner))
    scores = changed(attributes.get("score_mod"), Value(inner, shape, tuple(scores)))
    weights: list[float] = []
    for first in range(0, len(scores), keys or 1):
        weights += [rounded(one, inner) for one in softmax(scores[first : first + keys])]
    weights = changed(attributes.get("prob_mod"), Value(inner, shape, tuple(weights)))
    results = []
    for b, h, i, e in product(range(batch), range(heads), range(queries), range(width)):
        of_values = h * shared // heads
        terms = [
            (weights[ravel((b, h, i, j), shape)], rounded(item(v, b, of_values, j, e), inner))
            for j in range(keys)
        ]
        results.append(rounded(rounded(number(total_of(terms)), inner), q.type))
    return {"Y": Value(q.type, (batch, heads, queries, width), tuple(results))}


def item(tensor: Value, *index: int) -> float:
    return float(tensor.items[ravel(index, tensor.shape)])


def number(total: Any) -> float | Fraction:
    return total if isinstance(total, float) else Fraction(total)


def scaled(total: Any, scale: float) -> float | Fraction:
    """An exact sum times a scale, either of which may be infinite or NaN."""
    if isinstance(total, float) or not math.isfinite(scale):
        return float(total) * scale
    return Fraction(total) * Fraction(scale)


def changed(graph: Any, tensor: Value) -> list[float]:
    """What a graph makes of a tensor; its own elements without a graph."""
    if graph is None:
        return list(tensor.items)
    (result,) = graph.of_values(tensor)
    assert (result.type, result.shape) == (tensor.type, tensor.shape)
    return list(result.items)


def softmax(scores: Sequence[float]) -> list[float]:
    largest = max(scores)
    if any(score != score for score in scores) or math.isinf(largest):
        return [math.nan] * len(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / math.fsum(powers) for power in powers]
