"""What SequenceAt computes: one of the tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    (position,) = inputs["position"].items
    return {"tensor": inputs["input_sequence"].items[position]}
