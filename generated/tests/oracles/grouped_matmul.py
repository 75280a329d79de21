"""Slow reference of GroupedMatMul: each element is an exact sum and its bias, rounded once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.contents import RefusedContents
from opmill_checks.rounding import rounded
from opmill_checks.sums import plus, total_of
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    tokens, weights, selected = inputs["input"], inputs["weights"], inputs["group_indices"]
    bias = inputs.get("bias")
    assert tokens is not None
    assert weights is not None
    assert selected is not None
    groups, depth, columns = weights.shape
    rows, selections = selected.shape
    for position, group in enumerate(selected.items):
        if not 0 <= group < groups:
            row, column = divmod(position, selections)
            expected = f"0 to {groups - 1}" if groups > 1 else "0"
            raise RefusedContents(
                position, f"group_indices[{row}, {column}] is {group}, expected {expected}"
            )
    items = []
    for position, group in enumerate(selected.items):
        row = tokens.items[position // selections * depth :][:depth]
        matrix = weights.items[group * depth * columns :][: depth * columns]
        for column in range(columns):
            total = total_of(zip(row, matrix[column::columns], strict=True))
            if bias is not None:
                total = plus(total, bias.items[group * columns + column])
            items.append(rounded(total, tokens.type))
    return {"output": Value(tokens.type, (rows, selections, columns), tuple(items))}
