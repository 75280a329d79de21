"""The NumPy kernel of Scan: a call of the graph for each element along the scanned axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.graphs import (
    Graph,
    check_values,
    declared_types,
    returned,
    scan,
    stacked,
)


def compute(
    initial_state_and_scan_inputs: list[NDArray[Any]],
    *,
    body: Graph,
    num_scan_inputs: int,
    scan_input_axes: tuple[int, ...] | None,
    scan_input_directions: tuple[int, ...] | None,
    scan_output_axes: tuple[int, ...] | None,
    scan_output_directions: tuple[int, ...] | None,
    outputs: int | None,
    states: int,
    length: int,
) -> list[Any]:
    """The values after the last element, and the stacked ones."""
    given = initial_state_and_scan_inputs
    axes = scan_input_axes or (0,) * num_scan_inputs
    backwards = scan_input_directions or (0,) * len(axes)
    scanned = [
        np.moveaxis(value, axis, 0)[:: -1 if reversed_ else 1]
        for value, axis, reversed_ in zip(given[states:], axes, backwards, strict=True)
    ]
    count = returned(body, max(states, 1), outputs)
    state, collected = scan(body, given[:states], scanned, length, count, exact=outputs is not None)
    positions = scan_output_axes if scan_output_axes is not None else (0,) * len(collected)
    check_values("scan_output_axes", positions, len(collected))
    ends = scan_output_directions if scan_output_directions is not None else positions
    check_values("scan_output_directions", ends, len(collected))
    declared = declared_types(body, states + len(collected))[states:]
    for k, (values, axis) in enumerate(zip(collected, positions, strict=True)):
        is_reversed = scan_output_directions is not None and scan_output_directions[k]
        ordered = values[::-1] if is_reversed else values
        what = f"output {states + k} of body"
        name = f"scan_output_axes[{k}]"
        state.append(stacked(what, ordered, axis, declared[k], axis_name=name))
    return state
