"""Reference of ArgMax and ArgMin along an axis, by Python's own order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_checks.reductions import along
from opmill_checks.value import Value


def oracle(
    inputs: Mapping[str, Value], attributes: Mapping[str, Any], *, order: str
) -> dict[str, Value]:
    data, last = inputs["data"], attributes.get("select_last_index", 0)
    axes = [attributes.get("axis", 0)]
    shape, rows = along(data, axes, attributes.get("keepdims", 1))
    return {"reduced": Value("int64", shape, tuple(position(row, order, last) for row in rows))}


def position(row: Sequence[Any], order: str, last: int) -> int:
    """NaNs first; then the extreme element. Of several places the first or the last."""
    nans = [i for i, item in enumerate(row) if item != item]
    wanted = max(row) if order == "largest" else min(row)
    positions = nans or [i for i, item in enumerate(row) if item == wanted]
    return positions[-1] if last else positions[0]
