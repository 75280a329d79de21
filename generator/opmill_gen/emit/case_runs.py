"""The cases of all versions of an operator as one list, each with the versions that have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def cases_by_versions(
    cases: Sequence[list[dict[str, Any]]], numbers: Sequence[int]
) -> list[dict[str, Any]]:
    """The cases of all versions, each once for every run of versions that have it.

    They are in the order of the newest version; what older ones have beside is where it is there.
    ``since`` and ``until`` are the bounds of the run, ``None`` where there is none.

    Args:
        cases: those of each version.
        numbers: the versions, in ascending order.
    """
    order: list[str] = []
    holders: dict[str, list[int]] = {}
    found: dict[str, dict[str, Any]] = {}
    for position in reversed(range(len(cases))):
        insertion = 0
        for case in cases[position]:
            key = repr(case)
            if key not in found:
                found[key] = case
                order.insert(insertion, key)
            insertion = order.index(key) + 1
            holders.setdefault(key, []).insert(0, position)
    return [
        {
            **found[key],
            "since": numbers[first] if first > 0 else None,
            "until": numbers[last] if last + 1 < len(numbers) else None,
        }
        for key in order
        for first, last in _runs(holders[key])
    ]


def _runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending positions as the first and last of each run without a gap."""
    runs: list[tuple[int, int]] = []
    for position in positions:
        if runs and runs[-1][1] + 1 == position:
            runs[-1] = (runs[-1][0], position)
        else:
            runs.append((position, position))
    return runs
