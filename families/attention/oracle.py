"""Attention, one query after the other, by the formula; sums of products are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from opmill_checks.contents import RefusedContents
from opmill_checks.indices import ravel
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import dot, total_of
from opmill_checks.value import Value, type_of_number

Vectors = list[tuple[Any, ...]]


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, pads_mask: bool, strict: bool
) -> dict[str, Value]:
    q, k, v = (inputs[name] for name in ("Q", "K", "V"))
    heads = attributes["q_num_heads"] if len(q.shape) == 3 else q.shape[1]
    shared = attributes["kv_num_heads"] if len(q.shape) == 3 else k.shape[1]
    batch, queries, size = q.shape[0], q.shape[-2], head_size(q, heads)
    past = inputs["past_key"].shape[2] if inputs.get("past_key") else 0
    total, value_size = past + k.shape[-2], head_size(v, shared)
    lengths = inputs.get("nonpad_kv_seqlen")
    for element, length in enumerate(lengths.items if lengths else ()):
        if not 0 <= length <= total:
            expected = f"0 to {total}" if total else "0"
            raise RefusedContents(
                element, f"nonpad_kv_seqlen[{element}] is {length}, expected {expected}"
            )
    mask = Mask(inputs.get("attn_mask"), q.type, pads_mask)
    all_keys: Vectors = []
    all_values: Vectors = []
    rows: dict[tuple[int, int, int], tuple[list[float], list[float]]] = {}
    for b in range(batch):
        for head in range(shared):
            keys = past_vectors(inputs.get("past_key"), b, head) + vectors(k, shared, b, head)
            values = past_vectors(inputs.get("past_value"), b, head) + vectors(v, shared, b, head)
            all_keys += keys
            all_values += values
            used = [tuple(rounded(item, q.type) for item in value) for value in values]
            group = heads // shared
            for h in range(head * group, (head + 1) * group):
                for i, query in enumerate(vectors(q, heads, b, h)):
                    end, position = total, i + past
                    if lengths:
                        end = lengths.items[b]
                        position = i + end - queries
                    biases = [
                        mask.bias(b, h, i, j) + hidden(attributes, j, position, end)
                        for j in range(total)
                    ]
                    row, shown = weigh(query, keys, biases, attributes, q.type, strict)
                    mean = [
                        dot([(row[j], used[j][e]) for j in range(total)], q.type)
                        for e in range(value_size)
                    ]
                    rows[b, h, i] = mean, shown
    order = [(b, h, i) for b in range(batch) for h in range(heads) for i in range(queries)]
    result = order
    shape: tuple[int, ...] = (batch, heads, queries, value_size)
    if len(q.shape) == 3:
        result = [(b, h, i) for b in range(batch) for i in range(queries) for h in range(heads)]
        shape = (batch, queries, heads * value_size)
    return {
        "Y": Value(q.type, shape, tuple(item for key in result for item in rows[key][0])),
        "present_key": joined(q.type, (batch, shared, total, size), all_keys),
        "present_value": joined(v.type, (batch, shared, total, value_size), all_values),
        "qk_matmul_output": Value(
            q.type,
            (batch, heads, queries, total),
            tuple(rounded(item, q.type) for key in order for item in rows[key][1]),
        ),
    }


def head_size(tensor: Value, heads: int) -> int:
    return tensor.shape[3] if len(tensor.shape) == 4 else tensor.shape[2] // heads


def joined(type: str, shape: tuple[int, ...], parts: Vectors) -> Value:
    return Value(type, shape, tuple(item for part in parts for item in part))


def vectors(tensor: Value, heads: int, b: int, head: int) -> Vectors:
    """Those of one head."""
    size, length = head_size(tensor, heads), tensor.shape[-2]
    found = []
    for i in range(length):
        index = (b, head, i) if len(tensor.shape) == 4 else (b, i, head)
        shape = (*tensor.shape[:3],) if len(tensor.shape) == 4 else (*tensor.shape[:2], heads)
        first = ravel(index, shape) * size
        found.append(tensor.items[first : first + size])
    return found


def past_vectors(tensor: Value | None, b: int, head: int) -> Vectors:
    return [] if tensor is None else vectors(tensor, tensor.shape[1], b, head)


class Mask:
    """The term that the mask adds to a score."""

    def __init__(self, given: Value | None, type: str, pads: bool) -> None:
        self.given, self.type, self.pads = given, type, pads

    def bias(self, *index: int) -> float:
        if self.given is None:
            return 0.0
        shape = self.given.shape
        if self.pads and shape and index[3] >= shape[-1]:
            return -math.inf
        own = index[4 - len(shape) :]
        element = ravel([0 if dim == 1 else i for i, dim in zip(own, shape, strict=True)], shape)
        item = self.given.items[element]
        if self.given.type == "bool":
            return 0.0 if item else -math.inf
        return rounded(item if isinstance(item, float) else Fraction(item), self.type)


def hidden(attributes: Mapping[str, Any], j: int, position: int, end: int) -> float:
    """Minus infinity where a key is behind the end or outside of a window."""
    left, right = (attributes.get(f"{side}_window_size", -1) for side in ("left", "right"))
    if (
        j >= end
        or (attributes.get("is_causal", 0) and j > position)
        or (left >= 0 and j < position - left)
        or (right >= 0 and j > position + right)
    ):
        return -math.inf
    return 0.0


def weigh(
    query: Sequence[float],
    keys: Vectors,
    biases: list[float],
    attributes: Mapping[str, Any],
    type: str,
    strict: bool,
) -> tuple[list[float], list[float]]:
    """The weights, and what the mode shows."""
    wide = "double" if type == "double" else "float"
    scale = attribute_value(attributes.get("scale"))
    with np.errstate(all="ignore"):
        root = float(np.sqrt(1 / np.sqrt(np.float64(len(query))) if scale is None else scale))
    factor = rounded(root, type)
    scores = [rounded(score_of(query, key, factor), wide) for key in keys]
    stages = [scores]
    cap = attribute_value(attributes.get("softcap", 0.0))
    c = rounded(cap, type)
    if c > 0 or (strict and c != 0):
        scores = [c * math.tanh(score / c) for score in scores]
    stages.append(scores)
    scores = [score + bias for score, bias in zip(scores, biases, strict=True)]
    stages.append(scores)
    weights = [0.0] * len(scores)
    if any(bias != -math.inf for bias in biases):
        weights = softmax(scores, attributes.get("softmax_precision"), type)
    stages.append(weights)
    return weights, stages[attributes.get("qk_matmul_output_mode", 0)]


def score_of(query: Sequence[float], key: Sequence[float], factor: float) -> float | Fraction:
    if factor == 0 or math.isinf(factor):
        query = [item * factor for item in query]
        factor = 1.0
    total = total_of(zip(query, key, strict=True))
    if isinstance(total, float):
        return total
    return Fraction(total) * Fraction(factor) ** 2


def softmax(scores: list[float], precision: int | None, type: str) -> list[float]:
    inner = None if precision is None else type_of_number(precision)
    rounds = inner is not None and inner != type
    if inner is not None and rounds:
        scores = [rounded(score, inner) for score in scores]
    largest = max(scores)
    if any(score != score for score in scores) or math.isinf(largest):
        return [math.nan] * len(scores)
    powers = [math.exp(score - largest) for score in scores]
    weights = [power / math.fsum(powers) for power in powers]
    if inner is not None and rounds:
        weights = [rounded(rounded(weight, inner), type) for weight in weights]
    return weights
