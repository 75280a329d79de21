"""Reference of Identity: its input."""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.value import Value


def oracle(inputs: Mapping[str, Value], attributes: Mapping[str, object]) -> dict[str, Value]:
    return {"output": inputs["input"]}
