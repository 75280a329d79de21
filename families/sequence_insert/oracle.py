"""What SequenceInsert computes: the tensors before, the new one, the tensors after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    given, position = inputs["input_sequence"].items, inputs.get("position")
    at = len(given) if position is None else position.items[0]
    if at < 0:
        at += len(given)
    before = [item for k, item in enumerate(given) if k < at]
    after = [item for k, item in enumerate(given) if k >= at]
    return {"output_sequence": Held((*before, inputs["tensor"], *after))}
