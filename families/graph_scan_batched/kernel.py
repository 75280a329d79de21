"""The NumPy kernel of Scan-8: each sequence of the batch is scanned on its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.graphs import Graph, declared_types, returned, scan, stacked


def compute(
    sequence_lens: NDArray[Any] | None,
    initial_state_and_scan_inputs: list[NDArray[Any]],
    *,
    body: Graph,
    directions: tuple[int, ...] | None,
    num_scan_inputs: int,
    outputs: int | None,
    states: int,
    batch: int,
    length: int,
) -> list[Any]:
    """The values after the last elements of sequences, and the stacked ones with their padding."""
    given = initial_state_and_scan_inputs
    backwards = directions or (0,) * num_scan_inputs
    counts = [length] * batch if sequence_lens is None else sequence_lens.tolist()
    count = returned(body, max(states, 1), outputs)
    known = False
    finals: list[list[Any]] = [[] for _ in range(states)]
    stacks: list[list[Any]] = [[] for _ in range(count - states)]
    # The outputs of sequences without elements have the shapes of the others'.
    for position in sorted(range(batch), key=lambda one: counts[one] == 0):
        own = counts[position]
        scanned = [
            value[position][:own][:: -1 if reversed_ else 1]
            for value, reversed_ in zip(given[states:], backwards, strict=True)
        ]
        start = [value[position].copy() for value in given[:states]]
        exact = known or outputs is not None
        state, collected = scan(body, start, scanned, own, count, exact=exact)
        if not known:
            stacks = [[] for _ in collected]
        known, count = True, states + len(collected)
        declared = declared_types(body, count)[states:]
        for entries, value in zip(finals, state, strict=True):
            entries.append((position, value))
        for k, (entries, values) in enumerate(zip(stacks, collected, strict=True)):
            if own == 0 and entries:
                padded = _padding(entries[0][1].shape, entries[0][1].dtype)
            else:
                whole = stacked(f"output {states + k} of body", values, 0, declared[k])
                padded = _padding((length, *whole.shape[1:]), whole.dtype)
                padded[:own] = whole
            entries.append((position, padded))
    types = declared_types(body, count)
    return [
        stacked(
            f"output {k} of body", [value for _, value in sorted(entries, key=_first)], 0, types[k]
        )
        for k, entries in enumerate((*finals, *stacks))
    ]


def _padding(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros; of strings, empty ones."""
    padding: NDArray[Any] = np.zeros(shape, dtype)
    if dtype.kind == "O":
        padding.fill("")
    return padding


def _first(pair: tuple[int, Any]) -> int:
    return pair[0]
