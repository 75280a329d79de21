"""Slow reference of Scan: elements are picked by their indices, one run after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.graphs import along, laid
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], outputs: int
) -> dict[str, list[Value]]:
    graph, count = attributes["body"], attributes["num_scan_inputs"]
    given = list(inputs["initial_state_and_scan_inputs"])
    state, scanned = given[: len(given) - count], given[len(given) - count :]
    axes = [
        axis % len(value.shape)
        for axis, value in zip(attributes.get("scan_input_axes", [0] * count), scanned, strict=True)
    ]
    turned = attributes.get("scan_input_directions", [0] * count)
    length = scanned[0].shape[axes[0]]
    rows: list[list[Value]] = []
    for step in range(length):
        elements = [
            along(value, axis, length - 1 - step if back else step)
            for value, axis, back in zip(scanned, axes, turned, strict=True)
        ]
        found = graph.of_values(*state, *elements)
        rows.append(found[len(state) :])
        state = found[: len(state)]
    stacks = []
    scan_outputs = outputs - len(state)
    for k in range(scan_outputs):
        column = [row[k] for row in rows]
        if attributes.get("scan_output_directions", [0] * scan_outputs)[k]:
            column = column[::-1]
        axis = attributes.get("scan_output_axes", [0] * scan_outputs)[k]
        stacks.append(laid(column, axis, graph.output_types[len(state) + k]))
    return {"final_state_and_scan_outputs": [*state, *stacks]}
