"""What SequenceLength computes: a count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {"length": Value("int64", (), (len(inputs["input_sequence"].items),))}
