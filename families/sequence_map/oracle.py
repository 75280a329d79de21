"""Slow reference of SequenceMap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], outputs: int
) -> dict[str, list[Held]]:
    columns: list[list[Any]] = [[] for _ in range(outputs)]
    for position, tensor in enumerate(inputs["input_sequence"].items):
        others = [
            one.items[position] if isinstance(one, Held) else one
            for one in inputs.get("additional_inputs") or ()
        ]
        for column, value in zip(
            columns, attributes["body"].of_values(tensor, *others), strict=True
        ):
            column.append(value)
    return {"out_sequence": [Held(tuple(column)) for column in columns]}
