"""What SequenceEmpty computes: no tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {"output": Held(())}
