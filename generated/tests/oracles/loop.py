"""Slow reference of Loop: tables of values, one iteration after the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.graphs import laid
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any], outputs: int
) -> dict[str, list[Any]]:
    graph = attributes["body"]
    limit, condition = inputs.get("M"), inputs.get("cond")
    state = list(inputs.get("v_initial") or ())
    table: list[list[Any]] = []
    iteration = 0
    while limit is None or iteration < limit.items[0]:
        if condition is not None and not condition.items[0]:
            break
        number, true = Value("int64", (), (iteration,)), Value("bool", (), (True,))
        found = graph.of_values(number, true, *state)
        condition = None if condition is None else found[0]
        table.append(found[1 + len(state) :])
        state = found[1 : 1 + len(state)]
        iteration += 1
    stacks: list[Value] = []
    for k in range(outputs - len(state)):
        column = [row[k] for row in table]
        stacks.append(laid(column, 0, graph.output_types[1 + len(state) + k]))
    return {"v_final_and_scan_outputs": [*state, *stacks][:outputs]}
