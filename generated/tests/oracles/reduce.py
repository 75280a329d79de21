"""Sums along axes that an attribute names; all where it names none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.reductions import summed
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data = inputs["data"]
    assert data is not None
    axes = attributes.get("axes") or range(len(data.shape))
    return {"reduced": summed(data, axes, attributes.get("keepdims", 1))}
