"""MultiHeadAttention, one query after the other, by the formula; sums are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.shares import shares
from opmill_checks.sums import dot, plus, times, total_of
from opmill_checks.value import Value

Vector = tuple[Any, ...]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    call = Call(inputs, attributes)
    batches, heads, tokens = range(call.batch), range(call.heads), range(call.length)
    means: dict[tuple[int, int, int], Vector] = {}
    shown: list[Any] = []
    for b in batches:
        for h in heads:
            keys, values = call.rows("key", b, h), call.rows("value", b, h)
            for i in tokens:
                scores = call.scores(call.vector("query", b, i, h), keys, b, h, i)
                weights = shares(scores, call.scores((), [()] * call.total, b, h, i))
                means[b, h, i] = tuple(
                    dot([(weights[j], values[j][e]) for j in range(call.total)], call.type)
                    for e in range(call.value_size)
                )
                shown += [rounded(score, call.type) for score in scores]
    return {
        "output": Value(
            call.type,
            (call.batch, call.length, call.heads * call.value_size),
            tuple(x for b in batches for i in tokens for h in heads for x in means[b, h, i]),
        ),
        "present_key": call.present("key", call.size),
        "present_value": call.present("value", call.value_size),
        "qk": Value(call.type, (call.batch, call.heads, call.length, call.total), tuple(shown)),
    }


class Call:
    """The sizes of a call, and its vectors by batch entry, token and head."""

    def __init__(self, inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> None:
        self.inputs, self.attributes = inputs, attributes
        self.heads = attributes["num_heads"]
        query, key, value = inputs["query"], inputs["key"], inputs["value"]
        self.type, (self.batch, self.length, width) = query.type, query.shape
        self.size = width // self.heads
        self.apart = len(key.shape) == 4
        self.fresh = key.shape[-2]
        self.value_size = value.shape[3] if self.apart else value.shape[2] // self.heads
        past, length = inputs.get("past_key"), inputs.get("past_sequence_length")
        self.buffer = past.shape[2] if past else 0
        self.past = length.items[0] if past and length else self.buffer
        self.total = self.past + self.fresh

    def vector(self, name: str, b: int, i: int, h: int) -> Vector:
        """A query, new key or new value, with the bias."""
        tensor, bias = self.inputs[name], self.inputs.get("bias")
        size = self.value_size if name == "value" else self.size
        if self.apart and name != "query":
            first = ((b * self.heads + h) * self.fresh + i) * size
            return tensor.items[first : first + size]
        first = (b * tensor.shape[1] + i) * tensor.shape[2] + h * size
        vector = tensor.items[first : first + size]
        if bias is None:
            return vector
        part = ("query", "key", "value").index(name) * self.heads * self.size + h * size
        added = bias.items[part : part + size]
        return tuple(
            rounded(plus(Fraction(a) if math.isfinite(a) else a, x), self.type)
            for a, x in zip(vector, added, strict=True)
        )

    def rows(self, name: str, b: int, h: int) -> list[Vector]:
        """All keys or values of a head."""
        size = self.value_size if name == "value" else self.size
        past, rows = self.inputs.get(f"past_{name}"), []
        for j in range(self.past):
            assert past is not None
            first = ((b * self.heads + h) * self.buffer + j) * size
            rows.append(past.items[first : first + size])
        return rows + [self.vector(name, b, i, h) for i in range(self.fresh)]

    def present(self, name: str, size: int) -> Value:
        """The rows of the heads, and behind them those of the buffer."""
        past, items = self.inputs.get(f"past_{name}"), []
        for b in range(self.batch):
            for h in range(self.heads):
                items += [item for row in self.rows(name, b, h) for item in row]
                if past is not None:
                    head = b * self.heads + h
                    first, end = head * self.buffer + self.total, (head + 1) * self.buffer
                    items += past.items[first * size : end * size]
        shape = (self.batch, self.heads, max(self.buffer, self.total), size)
        return Value(self.type, shape, tuple(items))

    def is_masked(self, b: int, i: int, j: int) -> bool:
        mask = self.inputs.get("key_padding_mask")
        if mask is None:
            return False
        if len(mask.shape) == 1:
            return bool(j >= mask.items[b])
        row = b if len(mask.shape) == 2 else b * self.length + i
        return bool(mask.items[row * self.total + j] <= 0)

    def scores(self, query: Vector, keys: list[Vector], b: int, h: int, i: int) -> list[Any]:
        """The exact scores with all that is added to them."""
        scale = attribute_value(self.attributes.get("scale") or 0.0)
        factor = scale if scale != 0 else 1 / math.sqrt(self.size)
        given = self.attributes.get("mask_filter_value")
        filter = -10000.0 if given is None else attribute_value(given)
        bias = self.inputs.get("attention_bias")
        causal = self.attributes.get("unidirectional", 0) == 1
        found = []
        for j, key in enumerate(keys):
            score = times(factor, total_of(zip(query, key, strict=True)))
            if bias is not None:
                batch, head = b % bias.shape[0], h % bias.shape[1]
                row = (batch * bias.shape[1] + head) * self.length + i
                score = plus(score, bias.items[row * self.total + j])
            if self.is_masked(b, i, j):
                score = plus(score, filter)
            if causal and j > i + self.past:
                score = plus(score, -math.inf)
            found.append(score)
        return found
