"""Reference of TfIdfVectorizer, by its definition: each n-gram is looked for at each position."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value


def nearest(number: float) -> float:
    """The nearest float32."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def occurrences(row: tuple[Any, ...], gram: list[Any], max_skips: int) -> int:
    found = 0
    for start in range(len(row)):
        for skips in range(min(max_skips, len(row)) + 1 if len(gram) > 1 else 1):
            positions = [start + k * (skips + 1) for k in range(len(gram))]
            if positions[-1] < len(row):
                found += [row[position] for position in positions] == gram
    return found


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    x = inputs["X"]
    pool = list(attributes.get("pool_int64s") or attributes.get("pool_strings") or [])
    indexes = list(attributes["ngram_indexes"])
    weights = attributes.get("weights")
    starts = list(attributes["ngram_counts"])
    grams: list[list[Any]] = []
    for n, (start, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), 1):
        grams += [pool[at : at + n] for at in range(start, end, n)]
    width, length = max(indexes) + 1, x.shape[-1]
    items: list[float] = []
    for row in range(x.shape[0] if len(x.shape) == 2 else 1):
        tokens = x.items[row * length : (row + 1) * length]
        result = [0.0] * width
        for number, gram in enumerate(grams):
            if not attributes["min_gram_length"] <= len(gram) <= attributes["max_gram_length"]:
                continue
            count = occurrences(tokens, gram, attributes["max_skip_count"])
            if count:
                part = 1.0 if attributes["mode"] == "IDF" else float(count)
                if attributes["mode"] != "TF" and weights is not None:
                    part = nearest(part * nearest(weights[number]))
                position = indexes[number]
                result[position] = nearest(result[position] + part)
        items += result
    return {"Y": Value("float", (*x.shape[:-1], width), tuple(items))}
