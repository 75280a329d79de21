"""The results of the operators of optionals: the contents, or whether there are some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_checks.value import Held, Value


def oracle_create(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    given = inputs["input"]
    return {"output": Held(None) if given is None else given}


def oracle_get_element(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {"output": inputs["input"]}


def oracle_has_element(
    inputs: Mapping[str, Any], attributes: Mapping[str, Any]
) -> dict[str, Value]:
    given = inputs["input"]
    has = given is not None and not (isinstance(given, Held) and given.items is None)
    return {"output": Value("bool", (), (has,))}
