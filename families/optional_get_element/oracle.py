"""What OptionalGetElement computes: its input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {"output": inputs["input"]}
