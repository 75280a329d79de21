"""com.microsoft's Attention, one query after the other, by the formula; sums are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from opmill_checks.rounding import attribute_value, rounded
from opmill_checks.shares import shares
from opmill_checks.sums import dot, plus, times, total_of
from opmill_checks.value import Value

Vector = tuple[Any, ...]


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> dict[str, Value]:
    call = Call(inputs, attributes)
    batches, heads, tokens = range(call.batch), range(call.heads), range(call.length)
    rows = {
        (kind, b, h): call.past(kind, b, h) + [call.head(kind, b, i, h) for i in tokens]
        for kind in (1, 2)
        for b in batches
        for h in heads
    }
    means = [
        dot(
            [(weight, row[e]) for weight, row in zip(weights, rows[2, b, h], strict=True)],
            call.type,
        )
        for b in batches
        for i in tokens
        for h in heads
        for scores in [call.scores(call.head(0, b, i, h), rows[1, b, h], b, h, i)]
        for weights in [shares(scores, call.scores((), [()] * len(scores), b, h, i))]
        for e in range(call.sizes[2])
    ]
    outputs = {
        "output": Value(
            call.type, (call.batch, call.length, call.heads * call.sizes[2]), tuple(means)
        )
    }
    if call.sizes[0] == call.sizes[2]:
        present = tuple(x for group in rows.values() for row in group for x in row)
        shape = (2, call.batch, call.heads, call.total, call.sizes[0])
        outputs["present"] = Value(call.type, shape, present)
    return outputs


class Call:
    """The sizes of a call, and the vectors of its heads."""

    def __init__(self, inputs: Mapping[str, Value], attributes: Mapping[str, Any]) -> None:
        self.inputs, self.attributes = inputs, attributes
        self.weights = inputs["weight" if "weight" in inputs else "weights"]
        tokens, columns = inputs["input"], self.weights.shape[1]
        self.type = inputs["bias"].type if "weight" in inputs else tokens.type
        self.batch, self.length, self.depth = tokens.shape
        self.heads, self.columns = attributes["num_heads"], columns
        widths = attributes.get("qkv_hidden_sizes") or [columns // 3] * 3
        self.sizes = [width // self.heads for width in widths]
        past = inputs.get("past")
        self.rows = past.shape[3] if past else 0
        self.total = self.rows + self.length

    def head(self, kind: int, b: int, i: int, h: int) -> Vector:
        """The query, key or value of a token, by the number of its kind."""
        first = (b * self.length + i) * self.depth
        token = self.inputs["input"].items[first : first + self.depth]
        weights, bias = self.weights.items, self.inputs.get("bias")
        begin = kind * self.heads * self.sizes[0] + h * self.sizes[kind]
        found = []
        for column in range(begin, begin + self.sizes[kind]):
            line = [weights[k * self.columns + column] for k in range(self.depth)]
            if "weight" in self.inputs:
                total = self.scaled(token, line, column)
            else:
                total = total_of(zip(token, line, strict=True))
            if bias is not None:
                total = plus(total, bias.items[column])
            found.append(rounded(total, self.type))
        return tuple(found)

    def scaled(self, token: Vector, line: list[Any], column: int) -> float:
        """A sum of integers less their zero points, times both scales, rounded to float twice."""
        zero = self.one("input_zero_point", 0)
        less = self.one("weight_zero_point", column)
        total = sum((x - zero) * (y - less) for x, y in zip(token, line, strict=True))
        scale = self.one("input_scale", 0) * self.one("weight_scale", column)
        return rounded(total, "float") * rounded(scale, "float")

    def one(self, name: str, column: int) -> Any:
        """The only number of an input, or that of a column; 0 of an absent one."""
        value = self.inputs.get(name)
        if value is None:
            return 0
        return value.items[0 if len(value.items) == 1 else column]

    def past(self, kind: int, b: int, h: int) -> list[Vector]:
        past, size = self.inputs.get("past"), self.sizes[kind]
        if past is None:
            return []
        first = ((kind - 1) * self.batch + b) * self.heads + h
        begins = range(first * self.rows * size, (first + 1) * self.rows * size, max(size, 1))
        return [past.items[begin : begin + size] for begin in begins] if size else [()] * self.rows

    def is_masked(self, b: int, i: int, j: int) -> bool:
        mask = self.inputs.get("mask_index")
        if mask is None:
            return False
        if len(mask.shape) > 1:
            row = b if len(mask.shape) == 2 else b * self.length + i
            return bool(mask.items[row * self.total + j] <= 0)
        begins = mask.items[self.batch :] if mask.shape[0] == 2 * self.batch else None
        return bool(j >= mask.items[b] or (begins is not None and j < begins[b]))

    def scores(self, query: Vector, keys: list[Vector], b: int, h: int, i: int) -> list[Any]:
        """The exact scores with all that is added to them."""
        scale = attribute_value(self.attributes.get("scale") or 0.0)
        factor = scale if scale != 0 else 1 / math.sqrt(self.sizes[0]) if self.sizes[0] else 1.0
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
            if causal and j > i + self.rows:
                score = plus(score, -math.inf)
            found.append(score)
        return found
