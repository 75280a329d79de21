"""GroupQueryAttention, one query after the other, by the formula; sums of products are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.sums import dot, plus, times, total_of
from opmill_checks.value import Value

Vector = tuple[Any, ...]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    call = Call(inputs, attributes)
    call.check_contents()
    caches: dict[tuple[bool, int, int], list[Vector]] = {}
    for b in range(call.batch):
        for head in range(call.shared):
            caches[False, b, head] = call.cache("past_key", call.keys(b, head), b, head)
            caches[True, b, head] = call.cache("past_value", call.values(b, head), b, head)
    means: dict[tuple[int, int, int], Vector] = {}
    shown: dict[tuple[int, int, int], list[Any]] = {}
    for b in range(call.batch):
        for h in range(call.heads):
            head = h // (call.heads // call.shared)
            for i, query in enumerate(call.queries(b, h)):
                scores = call.scores(query, caches[False, b, head], b, h, i)
                weights = call.weights(scores, h)
                values = caches[True, b, head]
                means[b, h, i] = tuple(
                    dot(
                        [(weights.get(j, 0.0), values[j][e]) for j in range(call.ends[b])],
                        call.type,
                    )
                    for e in range(call.size)
                )
                stage = weights if attributes.get("qk_output", 0) == 2 else scores
                shown[b, h, i] = [rounded(stage.get(j, 0.0), call.type) for j in range(call.total)]
    batches, tokens, heads = range(call.batch), range(call.length), range(call.heads)
    present = (call.batch, call.shared, max(call.rows, call.total), call.size)
    return {
        "output": Value(
            call.type,
            (call.batch, call.length, call.heads * call.size),
            tuple(x for b in batches for i in tokens for h in heads for x in means[b, h, i]),
        ),
        "present_key": joined(call.type, present, caches, False),
        "present_value": joined(call.type, present, caches, True),
        "output_qk": Value(
            call.type,
            (call.batch, call.heads, call.length, call.total),
            tuple(x for b in batches for h in heads for i in tokens for x in shown[b, h, i]),
        ),
    }


def joined(
    type: str,
    shape: tuple[int, ...],
    caches: Mapping[tuple[bool, int, int], list[Vector]],
    values: bool,
) -> Value:
    rows = [row for b in range(shape[0]) for h in range(shape[1]) for row in caches[values, b, h]]
    return Value(type, shape, tuple(item for row in rows for item in row))


class Call:
    """The sizes of a call, and its vectors by batch entry, head and token."""

    def __init__(self, inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> None:
        self.inputs, self.attributes = inputs, attributes
        self.heads, self.shared = attributes["num_heads"], attributes["kv_num_heads"]
        query, key, past = inputs["query"], inputs.get("key"), inputs.get("past_key")
        self.type, (self.batch, self.length, width) = query.type, query.shape
        self.packed = key is None
        self.size = width // (self.heads + 2 * self.shared if self.packed else self.heads)
        self.fresh = key.shape[1] if key else self.length
        self.rows = past.shape[2] if past else 0
        self.total = inputs["total_sequence_length"].items[0]
        self.ends = [last + 1 for last in inputs["seqlens_k"].items]
        self.is_prompt = self.length == self.total
        self.rotates = attributes.get("do_rotary", 0) == 1

    def check_contents(self) -> None:
        """Refuse lengths and positions out of range."""
        low, shape = 0 if self.is_prompt else self.length - 1, self.inputs["seqlens_k"].shape
        for element, end in enumerate(self.ends):
            index = [0] * (len(shape) - 1) + [element]
            if shape[-1] != len(self.ends):
                index = [element if dim > 1 else 0 for dim in shape]
            refuse(element, f"seqlens_k{index}", end - 1, low, self.total - 1)
        positions = self.inputs.get("position_ids")
        if positions is None or not self.rotates or not positions.items:
            return
        rows = self.inputs["cos_cache"].shape[0]
        if self.is_prompt:
            refuse(0, "position_ids[0, 0]", positions.items[0], 0, rows - self.length)
            return
        for element, position in enumerate(positions.items):
            index = [element // self.length, element % self.length]
            refuse(element, f"position_ids{index}", position, 0, rows - 1)

    def first(self, b: int) -> int:
        """The position of the first query."""
        return 0 if self.is_prompt else self.ends[b] - self.length

    def queries(self, b: int, head: int) -> list[Vector]:
        return [self.turned(self.vector("query", b, i, head), b, i) for i in range(self.length)]

    def keys(self, b: int, head: int) -> list[Vector]:
        element = head + self.heads if self.packed else head
        name = "query" if self.packed else "key"
        return [self.turned(self.vector(name, b, i, element), b, i) for i in range(self.fresh)]

    def values(self, b: int, head: int) -> list[Vector]:
        element = head + self.heads + self.shared if self.packed else head
        name = "query" if self.packed else "value"
        return [self.vector(name, b, i, element) for i in range(self.fresh)]

    def vector(self, name: str, b: int, i: int, head: int) -> Vector:
        tensor = self.inputs[name]
        first = (b * tensor.shape[1] + i) * tensor.shape[2] + head * self.size
        return tensor.items[first : first + self.size]

    def turned(self, vector: Vector, b: int, i: int) -> Vector:
        """A query or key, rotated by its position where the call rotates."""
        if not self.rotates:
            return vector
        cosine, sine = self.inputs["cos_cache"], self.inputs["sin_cache"]
        positions, pairs = self.inputs.get("position_ids"), cosine.shape[1]
        row = self.first(b) + i
        if positions is not None:
            row = positions.items[0] + i if self.is_prompt else positions.items[b * self.length + i]
        result = list(vector)
        for pair in range(pairs):
            one, two = pair, pair + pairs
            if self.attributes.get("rotary_interleaved", 0) == 1:
                one, two = 2 * pair, 2 * pair + 1
            c, s = cosine.items[row * pairs + pair], sine.items[row * pairs + pair]
            result[one] = dot([(c, vector[one]), (-s, vector[two])], self.type)
            result[two] = dot([(s, vector[one]), (c, vector[two])], self.type)
        return tuple(result)

    def cache(self, name: str, fresh: list[Vector], b: int, head: int) -> list[Vector]:
        """The rows of a head: what is left of the past, the new ones, zeros."""
        past = self.inputs.get(name)
        left = 0 if self.is_prompt and self.fresh else self.ends[b] - self.fresh
        rows: list[Vector] = []
        for j in range(left):
            assert past is not None
            first = ((b * self.shared + head) * self.rows + j) * self.size
            rows.append(past.items[first : first + self.size])
        rows += fresh
        return rows + [(0.0,) * self.size] * (max(self.rows, self.total) - len(rows))

    def scores(self, query: Vector, keys: list[Vector], b: int, h: int, i: int) -> dict[int, float]:
        """Those of the keys that a query sees."""
        scale = attribute_value(self.attributes.get("scale") or 0.0)
        cap = attribute_value(self.attributes.get("softcap") or 0.0)
        factor = scale if scale != 0 else 1 / math.sqrt(self.size)
        bias = self.inputs.get("attention_bias")
        found = {}
        for j in range(self.ends[b]):
            if self.is_hidden(self.first(b) + i, j):
                continue
            if math.isfinite(factor):
                score = float(times(factor, total_of(zip(query, keys[j], strict=True))))
            else:
                score = factor * float(total_of(zip(query, keys[j], strict=True)))
            if cap > 0:
                score = cap * math.tanh(score / cap)
            if bias is not None:
                batch, head = b % bias.shape[0], h % bias.shape[1]
                row = (batch * bias.shape[1] + head) * self.length + i
                score = (
                    float(plus(Fraction(score), bias.items[row * self.total + j]))
                    if (math.isfinite(score))
                    else score + bias.items[row * self.total + j]
                )
            found[j] = score
        return found

    def is_hidden(self, position: int, j: int) -> bool:
        if not self.attributes.get("causal", 1):
            return False
        window = self.attributes.get("local_window_size", -1)
        return j > position or (window > 0 and j <= position - window)

    def weights(self, scores: Mapping[int, float], h: int) -> dict[int, float]:
        """The shares of 1, less that of the sink; 0 where all scores are minus infinity."""
        sinks = self.inputs.get("head_sink")
        terms = list(scores.values())
        if all(score == -math.inf for score in terms):
            return dict.fromkeys(scores, 0.0)
        if sinks is not None:
            terms.append(sinks.items[h])
        elif self.attributes.get("smooth_softmax", -1) == 1:
            terms.append(0.0)
        largest = max(terms)
        if any(math.isnan(term) for term in terms) or largest == math.inf:
            return dict.fromkeys(scores, math.nan)
        whole = math.fsum(math.exp(term - largest) for term in terms)
        return {j: math.exp(score - largest) / whole for j, score in scores.items()}


def refuse(element: int, what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        expected = f"{low} to {high}" if low < high else f"{low}"
        raise RefusedContents(element, f"{what} is {value}, expected {expected}")
