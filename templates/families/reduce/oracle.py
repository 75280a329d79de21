"""Sums along axes that an attribute or an input names; where none is named, along all or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.reductions import summed
from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value | None], attributes: Mapping[str, Any]) -> dict[str, Value]:
    data, given = inputs["data"], inputs.get("axes")
    assert data is not None
    named = attributes.get("axes", ()) if given is None else given.items
    every = range(0 if attributes.get("noop_with_empty_axes", 0) else len(data.shape))
    return {"reduced": summed(data, named or every, attributes.get("keepdims", 1))}
