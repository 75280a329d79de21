"""What SequenceErase computes: the other tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    given, position = inputs["input_sequence"].items, inputs.get("position")
    at = (-1 if position is None else position.items[0]) % len(given)
    return {"output_sequence": Held(tuple(one for k, one in enumerate(given) if k != at))}
