"""LinearAttention, head by head and number by number, in double.

The state and its factors are rounded to float where that is their type, so that they overflow as
floats do.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.value import Value

Numbers = list[float]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    query, value, past = inputs["query"], inputs["value"], inputs.get("past_state")
    batch, tokens, _ = query.shape
    q_heads, heads = attributes["q_num_heads"], attributes["kv_num_heads"]
    group = q_heads // heads
    size, width = query.shape[2] // q_heads, value.shape[2] // heads
    scale = attribute_value(attributes.get("scale", 0.0))
    if scale == 0:
        scale = 1 / math.sqrt(size) if size else math.inf
    state_type = past.type if past else query.type
    read: dict[tuple[int, int, int], Numbers] = {}
    last: Numbers = []
    for b in range(batch):
        for h in range(heads):
            first = (b * heads + h) * size
            rows = [
                list(past.items[(first + d) * width : (first + d + 1) * width])
                if past
                else [0.0] * width
                for d in range(size)
            ]
            for t in range(tokens):
                rows = next_state(rows, inputs, b, t, h, heads)
                for j in range(h * group, (h + 1) * group):
                    q = vector(query, b, t, j, q_heads)
                    read[b, t, j] = [scale * column_sum(q, rows, m) for m in range(width)]
            last += [cell for row in rows for cell in row]
    order = [(b, t, j) for b in range(batch) for t in range(tokens) for j in range(q_heads)]
    shown = tuple(rounded(item, query.type) for position in order for item in read[position])
    cells = tuple(rounded(cell, state_type) for cell in last)
    return {
        "output": Value(query.type, (batch, tokens, q_heads * width), shown),
        "present_state": Value(state_type, (batch, heads, size, width), cells),
    }


def next_state(
    rows: list[Numbers], inputs: Mapping[str, Value], b: int, t: int, h: int, heads: int
) -> list[Numbers]:
    """Return the state of a head after a token."""
    decay, beta = inputs.get("decay"), inputs.get("beta")
    k = vector(inputs["key"], b, t, h, heads)
    v = vector(inputs["value"], b, t, h, heads)
    if decay:
        factors = [rounded(power(g), "float") for g in vector(decay, b, t, h, heads)]
        if decay.shape[2] == heads:
            factors *= len(rows)
        rows = [[factor * cell for cell in row] for factor, row in zip(factors, rows, strict=True)]
    if beta:
        rates = vector(beta, b, t, 0, 1)
        rate = rates[h if len(rates) > 1 else 0]
        v = [rate * (item - column_sum(k, rows, m)) for m, item in enumerate(v)]
    return [
        [rounded(cell + k[d] * v[m], "float") for m, cell in enumerate(row)]
        for d, row in enumerate(rows)
    ]


def vector(tensor: Value, b: int, t: int, head: int, heads: int) -> Numbers:
    """The numbers of a head."""
    _, tokens, width = tensor.shape
    first = (b * tokens + t) * width + head * (width // heads)
    return list(tensor.items[first : first + width // heads])


def column_sum(factors: Numbers, rows: list[Numbers], m: int) -> float:
    return sum((factor * row[m] for factor, row in zip(factors, rows, strict=True)), 0.0)


def power(g: float) -> float:
    try:
        return math.exp(g)
    except OverflowError:
        return math.inf
