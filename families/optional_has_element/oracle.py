"""What OptionalHasElement computes: whether there is an input with contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held, Value


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    given = inputs["input"]
    has = given is not None and not (isinstance(given, Held) and given.items is None)
    return {"output": Value("bool", (), (has,))}
