"""Slow reference of Scan-8: one sequence after the other, element by element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.graphs import along, laid
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], outputs: int
) -> dict[str, list[Value]]:
    graph, scanned = attributes["body"], attributes["num_scan_inputs"]
    given = list(inputs["initial_state_and_scan_inputs"])
    states = len(given) - scanned
    batch, length = given[states].shape[:2]
    lengths = inputs.get("sequence_lens")
    turned = attributes.get("directions", [0] * scanned)
    columns: list[list[Value]] = [[] for _ in range(outputs)]
    for sequence in range(batch):
        state = [along(value, 0, sequence) for value in given[:states]]
        rows: list[list[Value]] = []
        own = length if lengths is None else lengths.items[sequence]
        for step in range(own):
            elements = [
                along(along(value, 0, sequence), 0, own - 1 - step if back else step)
                for value, back in zip(given[states:], turned, strict=True)
            ]
            found = graph.of_values(*state, *elements)
            state, row = found[:states], found[states:]
            rows.append(row)
        for column, value in zip(columns, state, strict=False):
            column.append(value)
        for k in range(outputs - states):
            first = rows[0][k]
            zero = "" if first.type == "string" else 0.0
            blank = Value(first.type, first.shape, (zero,) * len(first.items))
            padded = [row[k] for row in rows] + [blank] * (length - len(rows))
            columns[states + k].append(laid(padded, 0, None))
    return {"final_state_and_scan_outputs": [laid(column, 0, None) for column in columns]}
